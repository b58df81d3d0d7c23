"""Models published for the jobs that use them."""

import hashlib

import pytest

from murid.errors import InputError
from murid.models import publish


def test_copies_and_digests_are_of_what_models_hold(tmp_path):
    models = []
    for name, content in (("weights.json", b"{}"), ("transforms.parquet", b"PAR1")):
        (tmp_path / name).write_bytes(content)
        models.append((tmp_path / name, tmp_path / "models" / name))
    publish.publish(models, tmp_path / "list")
    assert [copy.read_bytes() for _, copy in models] == [b"{}", b"PAR1"]
    told = dict(line.split("  ")[::-1] for line in (tmp_path / "list").read_text().splitlines())
    assert told["weights.json"] == hashlib.sha256(b"{}").hexdigest()
    before = (tmp_path / "list").read_bytes()
    publish.publish(models, tmp_path / "list")
    assert (tmp_path / "list").read_bytes() == before


def test_a_model_that_is_none_is_named_and_nothing_listed(tmp_path):
    with pytest.raises(InputError, match=r"weights\.json: found no file; expected a fitted model"):
        publish.publish([(tmp_path / "weights.json", tmp_path / "copy")], tmp_path / "list")
    assert not list(tmp_path.iterdir())


def test_two_models_have_two_names(tmp_path):
    for name in "ab":
        (tmp_path / name).write_text(name)
    with pytest.raises(InputError, match="one of its own"):
        publish.publish(
            [(tmp_path / name, tmp_path / name / "copy") for name in "ab"], tmp_path / "l"
        )
