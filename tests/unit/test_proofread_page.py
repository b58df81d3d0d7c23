"""The page that asks a human, in a real browser."""

import time

import cv2
import numpy as np
import pandas as pd
import pytest

import browser
from murid import corrections, video
from murid.proofread import page

ANIMALS = {"B": "#56a0ff", "G": "#00b282", "R": "#e66100"}


def question(number, **changed):
    """A question of a cage of three."""
    return {
        "key": f"C01/{number}", "cage": "C01", "segment": "1", "frame": 100 + number,
        "tracklet": 7 + number, "fps": 25.0,
        "box": [10.0, 20.5, 40.0, 60.0], "gain": 100.0 - number / 10, "clip": "clips/0.mp4",
        "still": "stills/0.jpg", "nobody": 0.1,
        "names": [
            {"animal": name, "colour": colour, "probability": 0.3}
            for name, colour in ANIMALS.items()
        ],
    } | changed  # fmt: skip


def written(folder, questions, former=None):
    """Write a page with a clip and a still that all its questions share."""
    for name in ("clips", "stills"):
        (folder / name).mkdir()
    grey = np.zeros((48, 64), dtype=np.uint8)
    video.write(folder / "clips" / "0.mp4", [grey] * 10, 25)
    cv2.imwrite(str(folder / "stills" / "0.jpg"), grey)
    path = folder / "index.html"
    path.write_text(page.render(questions, "A cage", former), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    with browser.opened(tmp_path_factory.mktemp("downloads")) as opened:
        yield opened


def press(chromium, keys):
    for key in keys:
        chromium.find_element("tag name", "body").send_keys(key)


def saved(chromium, tmp_path, name="corrections.csv", separator=","):
    """Save, and read what was saved."""
    chromium.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    chromium.find_element("id", "save").click()
    path = tmp_path / name
    until = time.monotonic() + 20
    while not path.exists() and time.monotonic() < until:
        time.sleep(0.05)
    return pd.read_csv(path, keep_default_na=False, dtype=str, sep=separator)


def progress(chromium):
    return chromium.find_element("id", "progress").text


def faults(chromium):
    """What the page complained of, but for what is not there."""
    return [entry for entry in chromium.get_log("browser") if entry["level"] == "SEVERE"]


def test_ten_answers_by_keyboard_are_saved(chromium, tmp_path):
    chromium.get(written(tmp_path, [question(number) for number in range(12)]))
    chromium.find_element("id", "who").send_keys("=Ann, of lab 3")
    press(chromium, "1230 1u23113")
    assert progress(chromium) == "10 of 12 answered"
    table = saved(chromium, tmp_path)
    # The space is no answer to save; the 1 after it was taken back.
    assert table["animal"].tolist() == ["B", "G", "R", "nobody", *"GRBBR"]
    assert table["frame"].tolist() == [str(100 + n) for n in (0, 1, 2, 3, 5, 6, 7, 8, 9)]
    assert (table[["x1", "y1", "x2", "y2"]] == ["10", "20.5", "40", "60"]).all(axis=None)
    assert set(table["who"]) == {"'=Ann, of lab 3"}, "no formula for spreadsheets"
    assert table["when"].str.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ").all()
    assert not faults(chromium)


def test_a_box_that_reaches_over_the_edge_is_saved_with_numbers(chromium, tmp_path):
    beyond = [-3.25, -1.0, 40.0, 60.0]
    chromium.get(written(tmp_path, [question(0, box=beyond, cage="C07")]))
    press(chromium, "1")
    table = saved(chromium, tmp_path)
    assert table.loc[0, ["x1", "y1", "x2", "y2"]].tolist() == ["-3.25", "-1", "40", "60"]


KNOWN = "cage,segment,frame,x1,y1,x2,y2,tracklet,animal,who,when,remark"
REPLACED = (
    # What the page's answer of frame 100, tracklet 7, in the box 10 20.5 40 60, is about.
    "C01,1,100,10,20.5,40,60,,G,Ben,,",
    "C01,1,100,10.4,20.1,40.5,60.5,99,G,Ben,,rounded",
    "C01,1,100,,,,,7,R,,,",
    "C01,1,100,NA,nan,,,7,R,,,",
)
KEPT = (
    "C01,1,100,11,20.5,40,60,7,G,Ben,,another box",
    "C01,1,100,,,,,8,R,,,another tracklet",
    "C01,1,101,,,,,7,R,,,another frame",
    "C01,2,100,10,20.5,40,60,,G,,,another segment",
    "C02,1,100,10,20.5,40,60,,G,,,another cage",
    "C01,1,,10,20.5,40,60,,G,,,no frame",
    "C01,1,x,10,20.5,40,60,,G,,,no number",
    ",,,,,,,,,,,",
)


def former_of(folder, name, header, *rows, separator=","):
    folder.mkdir(exist_ok=True)
    path = folder / name
    lines = [line.replace(",", separator) for line in (header, *rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return corrections.read(path)


@pytest.mark.parametrize(("name", "separator"), [("corrections.csv", ","), ("said.tsv", "\t")])
def test_what_is_saved_holds_what_was_answered_before(chromium, tmp_path, name, separator):
    former = former_of(tmp_path / "before", name, KNOWN, *REPLACED, *KEPT, separator=separator)
    chromium.get(written(tmp_path, [question(0, key=name), question(5)], former))
    before = chromium.find_element("id", "before").text
    assert before.count("Answered before: G, by Ben.") == 2
    assert before.count("Answered before: R.") == 2
    press(chromium, "3 ")
    assert not faults(chromium)
    table = saved(chromium, tmp_path, name, separator)
    assert ",".join(table.columns) == KNOWN
    *kept, new = (",".join(row) for row in table.itertuples(index=False))
    assert kept == [row for row in KEPT if row.strip(",")]
    assert new.startswith("C01,1,100,10,20.5,40,60,,R,")


def test_what_was_written_before_is_saved_as_it_was_whatever_it_is(chromium, tmp_path):
    header = "Remark,Mood,frame,tracklet,Animal,segment,cage"
    rows = [
        '"he said ""no"", twice",\'=1+1,5,3,<b>,1,</script>',
        '"two\nlines",\u00e9\u4e16,100,+4,\'-R,1,C01',
        ",,100,007,G,1,C01",
    ]
    former = former_of(tmp_path / "before", "corrections.csv", header, *rows)
    chromium.get(written(tmp_path, [question(0, key="whatever")], former))
    press(chromium, "1")
    saved(chromium, tmp_path)
    again = corrections.read(tmp_path / "corrections.csv")
    known = ("remark", "Mood", "frame", "tracklet", "animal", "segment", "cage")
    assert again.written[0] == (*known, "x1", "y1", "x2", "y2", "who", "when")
    assert [row[:7] for row in again.written[1:-1]] == [*former.written[1:]]
    assert again.written[-1][1:5] == ("", "100", "", "B")


def test_a_question_left_open_takes_nothing_back(chromium, tmp_path):
    former = former_of(tmp_path / "before", "corrections.csv", KNOWN, *REPLACED)
    chromium.get(written(tmp_path, [question(0, key="open"), question(6)], former))
    press(chromium, " ")
    table = saved(chromium, tmp_path)
    assert [",".join(row) for row in table.itertuples(index=False)] == [*REPLACED]


def test_a_remark_counts_whenever_it_is_typed(chromium, tmp_path):
    address = written(tmp_path, [question(number, key=f"remarked {number}") for number in range(3)])
    chromium.get(address)
    remark = chromium.find_element("id", "remark")
    press(chromium, "1")
    chromium.find_element("id", "back").click()
    remark.send_keys("after the answer")
    chromium.find_element("id", "next").click()
    assert remark.get_attribute("value") == ""
    remark.send_keys("before it")
    chromium.find_element("id", "next").click()
    chromium.get(address)
    remark = chromium.find_element("id", "remark")
    assert remark.get_attribute("value") == "before it"
    press(chromium, "2")
    remark.send_keys("beside it")
    press(chromium, "3")
    table = saved(chromium, tmp_path)
    assert table["remark"].tolist() == ["after the answer", "before it", "beside it"]


def test_the_page_says_what_is_not_plain_and_links_to_the_report():
    text = page.render([question(0)], "A cage", report="../index.html")
    assert '<a href="../index.html">the report</a>' in text
    assert "Nothing is saved of this question, and it is asked again" in text
    assert "how many boxes an answer is expected to put right" in text
    assert "the report" not in page.render([question(0)], "A cage")


def test_answers_are_still_there_when_the_page_is_opened_again(chromium, tmp_path):
    address = written(tmp_path, [question(number, cage="C09") for number in range(3)])
    chromium.get(address)
    press(chromium, "1")
    chromium.get(address)
    assert progress(chromium) == "1 of 3 answered"
    assert "frame 101" in chromium.find_element("id", "ask").text, "the first that is open"


def test_names_and_remarks_are_shown_as_they_are(chromium, tmp_path):
    names = [{"animal": "<b>&</b>", "colour": "#000000", "probability": 0.9}]
    chromium.get(written(tmp_path, [question(0, names=names, cage="C</script>", key="x")]))
    button = chromium.find_element("css selector", "#names button")
    assert "<b>&</b>" in button.text
    chromium.find_element("id", "remark").send_keys('he said "1", 0')
    button.click()
    table = saved(chromium, tmp_path)
    assert table.loc[0, ["cage", "animal", "remark"]].tolist() == [
        "C</script>", "<b>&</b>", 'he said "1", 0',
    ]  # fmt: skip


def test_five_hundred_questions_are_there_at_once(chromium, tmp_path):
    address = written(tmp_path, [question(number) for number in range(500)])
    chromium.get(address)
    times = chromium.execute_script(
        "const [one] = performance.getEntriesByType('navigation'); return one.loadEventEnd;"
    )
    print(f"500 questions: {times:.0f} ms until all is loaded")
    assert len(chromium.find_elements("css selector", "#list li")) == 500
    clips = {entry["name"] for entry in chromium.execute_script(
        "return performance.getEntriesByType('resource').map((one) => ({name: one.name}));"
    )}  # fmt: skip
    assert len(clips) <= 2, "only what is looked at is loaded"


def test_what_is_asked_needs_no_network(tmp_path):
    text = page.render([question(0)], "A cage")
    assert "http://" not in text
    assert "https://" not in text


def test_without_questions_the_page_says_so():
    assert "There is nothing to ask" in page.render([], "A cage")
