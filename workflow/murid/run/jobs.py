"""What the jobs of a run are given, looked up in its plan: the inputs and parameters of rules."""

import functools
import itertools
import math
import os
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from murid import stages
from murid.choice import spread_over
from murid.identify.registry import drawn, obeying
from murid.run import command_line, plan, provenance, sharing
from murid.run.clocks import Clock
from murid.run.fingerprints import Fingerprints
from murid.run.plan import Key, Plan
from murid.settings import SPLITS
from murid.video_part import END

Words = list[str]
"""Words of a command line."""
Parameter = Callable[..., Any]
"""A function by which Snakemake finds out what a job is given: of its wildcards, and perhaps of its
input and output, by these names."""


STILLS = 3
"""Videos of a cage that a still is looked for in."""


class Jobs:
    """What jobs are given.

    Parameters
    ----------
    made
        The plan of the run.
    fingerprints
        Of the archive's files.
    planning
        Whether this process plans the run, and is no job of it: a job is not asked whether it is
        stale.
    """

    def __init__(self, made: Plan, fingerprints: Fingerprints, planning: bool) -> None:
        self.plan = made
        self.settings = made.settings
        self.planning = planning
        self.lacking: list[str] = []
        """What :meth:`needed` missed; Snakemake wraps what is raised where it looks up inputs."""
        self._fingerprints = fingerprints
        self.default = made.settings.identify.default
        self.others = [
            *(name for name in made.settings.identify.methods if name != self.default), "oracle"
        ]  # fmt: skip

    # Parameters of any rule

    def given(
        self, command: str, rule: str | None = None, leave_out: Collection[str] = ()
    ) -> dict[str, Any]:
        """Return the parameters that the declaration of a command's stage asks for.

        ``record`` is where its guard keeps what failed, by the name of the rule if it is another
        than the command's; ``about`` and ``contents`` are what the sheet says of the segment, and
        what its files hold; ``options`` are the settings but those to leave out; ``code`` changes
        with what the stage does.
        """
        stage = stages.stage_of(command)
        parameters: dict[str, Any] = {}
        if stage.of:
            rule = rule or command.replace("-", "_")
            names = {
                "segment": "{cage}/{segment}", "cage": "{cage}/cage",
                "log": "{antenna_log}/log", "clock": "{clock}/clock", "video": "{video}/video",
                "all": f"all/{rule}",
            }  # fmt: skip
            parameters["record"] = f"{self.settings.results}/failed/{rule}/{names[stage.of]}"
        columns, files = (stages.fields_of(stage, kind) for kind in ("sheet", "source"))
        if columns or files:
            parameters["about"] = self.about(columns, files)
        if files:
            parameters["contents"] = self.contents(files)
        for name, option in stages.lists_of(stage).items():
            parameters[name] = listed(name, option)
        if stages.blocks_of(stage) or stages.settings_of(stage):
            parameters["options"] = command_line.options(command, self.settings, leave_out)
        # A job needs its own stage's digest only, and a function is not called before it is needed.
        digest = functools.partial(provenance.digest, command)
        parameters["code"] = digest() if self.planning else lambda wildcards: digest()
        return parameters

    def about(self, columns: Sequence[str], parts: Sequence[str]) -> Parameter:
        """Return a parameter: what the sheet says of a segment, written as options of a command.

        ``parts`` are those of its files that are among it, as far as the sheet names them.
        """

        def written(wildcards: Any) -> Words:
            key = self.key_of(wildcards)
            values = {column: getattr(self.plan.segments[key], column) for column in columns}
            values |= {part: self.plan.source(key, part) for part in parts}
            return [
                f"--{name.replace('_', '-')}="
                f"{','.join(value) if isinstance(value, tuple) else value}"
                for name, value in values.items()
                if value not in (None, (), "")
            ]

        return written

    def contents(self, parts: Sequence[str]) -> Parameter:
        """Return a parameter that changes with what a segment's files hold.

        They are no inputs: a file that the sheet names and nobody can find, or that vanishes, is a
        verdict on its segment and not the end of the run; and dates, which Snakemake goes by, may
        be kept, changed or of the future whatever a file holds.
        """
        return lambda wildcards: self.contents_of(
            path for part in parts if (path := self.plan.source(self.key_of(wildcards), part))
        )

    def contents_of(self, paths: Iterable[str]) -> list[Any]:
        """Return a fingerprint of each of several files of the archive."""
        return [self._fingerprints.of(path) for path in paths] if self.planning else []

    def each(
        self, command: str, keys: Callable[[Any], Sequence[Key]], field: str = "segments"
    ) -> Parameter:
        """Return a parameter: an option of a command, repeated for each of several segments.

        ``keys`` is given the wildcards, and returns the segments. What a row has is declared: what
        the sheet says, and tables, which are the rule's inputs by the same names.
        """
        return lambda wildcards, input: command_line.rows(
            command, field, keys(wildcards), self.plan, input
        )

    def growing(self, amount: float, per_hour: float = 0) -> Parameter:
        """Return a resource that grows with the length of segments, and with every attempt.

        Amounts are two to three times what was measured on segments of half an hour.
        """
        whole = math.ceil(amount + per_hour * self.settings.longest_segment)
        return lambda wildcards, attempt: whole * attempt

    # A segment

    def key_of(self, wildcards: Any) -> Key:
        """Return the names of a job's segment, which must be in the sheet."""
        key = (wildcards.cage, wildcards.segment)
        if key not in self.plan.segments:
            self.lack(f"no cage {key[0]} with segment {key[1]}.")
        return key

    def table_named_by(self, name_of: Callable[[Key], str]) -> str | Parameter:
        """Return an input: a segment's table, which is named by where it comes from.

        It is a function only where segments differ: to call one for every job of a large archive
        takes many times as long as to fill in a name.
        """
        names = {name_of(key) for key in self.plan.segments}
        if len(names) == 1:
            return f"<segment>/{names.pop()}.parquet"
        return lambda wildcards: f"<segment>/{name_of(self.key_of(wildcards))}.parquet"

    def detections_of(self, key: Key) -> str:
        """Return the name of a segment's table of detections."""
        return "detections.video" if self.plan.filmed(key) else "detections.archive"

    def tracklets_of(self, key: Key) -> str:
        """Return the name of a segment's table of tracklets."""
        return "tracklets" if self.plan.tracked(key) else "tracklets.archive"

    def annotations_of(self, key: Key) -> str:
        """Return the name of a segment's annotations, as what learns from them takes them."""
        return "annotations.compared" if self.plan.has_annotations(key) else "annotations"

    def methods_of(self, key: Key) -> list[str]:
        """Return the methods that name a segment's animals.

        They are compared where there are annotations to compare with; elsewhere the default is all
        that anyone needs. The visual tracker needs a video too.
        """
        if not self.plan.has_annotations(key):
            return [self.default]
        seen = self.settings.visual.enabled and self.plan.exists(key, "video")
        return [self.default, *self.others, *(["visual"] if seen else [])]

    def named(self, key: Key) -> dict[str, str]:
        """Return what a segment's tables of identities are called by whatever compares them.

        What a method says where people were asked is told apart from what it says by itself.
        """
        names = {name: name for name in self.methods_of(key)}
        if key not in self.plan.corrected:
            return names
        for name, corrected in obeying().items():
            if name in names:
                names[corrected] = names.pop(name)
                if self.plan.has_annotations(key):
                    names[name] = f"{name}.uncorrected"
        return names

    def default_of(self, key: Key) -> str:
        """Return what the table that is a segment's answer is called."""
        corrected = obeying().get(self.default)
        return corrected if corrected and key in self.plan.corrected else self.default

    def shared(self, wildcards: Any) -> Words:
        """Return options that tell which of a segment's files are another's, too."""
        return repeated("--shared", sharing.shared(self.plan, self.key_of(wildcards)))

    # Antenna logs

    def log_of(self, wildcards: Any) -> str:
        """Return the path of a job's antenna log, which the sheet must name."""
        path = self.plan.logs.get(wildcards.antenna_log)
        if path is None:
            self.lack(f"no antenna log that is called {wildcards.antenna_log}.")
        return str(path)

    @functools.cached_property
    def _served(self) -> dict[str, list[str]]:
        return sharing.cages_by_log(self.plan)

    def served(self, wildcards: Any) -> Words:
        """Return options that tell which cages a log serves."""
        return repeated("--cage", self._served.get(wildcards.antenna_log, ()))

    @functools.cached_property
    def tables_of_logs(self) -> Parameter | Words:
        """An input: the tables of the logs that serve a segment, where any segment has some."""
        if not self.plan.logs:
            return []
        return lambda wildcards: [
            f"<results>/readings/{name}.parquet"
            for name in self.plan.logs_of(self.key_of(wildcards))
        ]

    def positions_of(self, key: Key) -> str:
        """Return the name of a segment's table of positions, as what names animals takes it."""
        return self.plan.segments[key].positions_table

    def logs_of_cage(self, wildcards: Any) -> list[str]:
        """Return an input: the table of each log that serves segments of a cage."""
        keys = self._with_logs(wildcards)
        names = dict.fromkeys(name for key in keys for name in self.plan.logs_of(key))
        return [f"<results>/readings/{name}.parquet" for name in names]

    def clocks_of_cage(self, wildcards: Any) -> list[str]:
        """Return an input: the table of the clock of each day of a cage."""
        names = dict.fromkeys(self.plan.clock_of[key] for key in self._with_logs(wildcards))
        return [f"<results>/clocks/{name}.parquet" for name in names]

    def _with_logs(self, wildcards: Any) -> list[Key]:
        keys = self.plan.logged.get(wildcards.cage, [])
        return self.needed(keys, f"no segment of cage {wildcards.cage} with readings.")

    def clock_of(self, wildcards: Any) -> str:
        """Return an input: the table of the clock of a segment's day."""
        return f"<results>/clocks/{self.plan.clock_of[self.key_of(wildcards)]}.parquet"

    def of_clock(self, wildcards: Any) -> list[str]:
        """Return an input: what each segment of a clock's day tells."""
        return self.tables("lateness", self._clock(wildcards).segments)

    def before_clock(self, wildcards: Any) -> list[str]:
        """Return an input: what the segments of the days before a clock's day tell.

        Days after it are no inputs, so that a new night makes no clock of before anew.
        """
        days = (self.plan.clocks[name] for name in self._clock(wildcards).before)
        return self.tables("lateness", (key for day in days for key in day.segments))

    def _clock(self, wildcards: Any) -> Clock:
        if wildcards.clock not in self.plan.clocks:
            self.lack(f"no segment with readings of a clock {wildcards.clock}.")
        return self.plan.clocks[wildcards.clock]

    def wearing(self, wildcards: Any) -> Words:
        """Return the table of the animals as an option, for what has logged readings."""
        return self._for_logs(wildcards, "--tags", self.settings.animals)

    def placing(self, wildcards: Any) -> Words:
        """Return the table of the antennas as an option, for the same."""
        return self._for_logs(wildcards, "--antennas", self.settings.antennas)

    def _for_logs(self, wildcards: Any, option: str, path: str | None) -> Words:
        return [option, path] if path and self._logged(wildcards) else []

    def _logged(self, wildcards: Any) -> bool:
        """Tell whether a job is of a segment, or of a cage, that has antenna logs."""
        if hasattr(wildcards, "segment"):
            return bool(self.plan.segments[self.key_of(wildcards)].readings)
        return wildcards.cage in self.plan.logged

    def worn(self, wildcards: Any) -> list[Any]:
        """Return a parameter that changes with who wears what in a cage, and where antennas are."""
        if not self.planning or not self._logged(wildcards):
            return []
        antennas = self.settings.antennas
        return [
            *self.plan.worn_in.get(wildcards.cage, []),
            *self.contents_of([antennas] if antennas else []),
        ]

    # Videos of which segments are parts

    def video_of(self, wildcards: Any) -> str:
        """Return the path of a job's video, of which the sheet must name a part."""
        path = self.plan.cut.get(wildcards.video)
        if path is None:
            self.lack(f"no video that is cut and called {wildcards.video}.")
        return str(path)

    @functools.cached_property
    def survey(self) -> Parameter | Words:
        """An input: the survey of the video that a segment is a part of, where any is."""
        if not self.plan.cut:
            return []
        return lambda wildcards: self.surveys([self.key_of(wildcards)])

    def surveys(self, keys: Iterable[Key]) -> list[str]:
        """Return the paths of the surveys of the videos of which segments are parts, each once."""
        names = (self.plan.survey_of(key) for key in keys)
        return [self._survey(name) for name in dict.fromkeys(names) if name]

    def _survey(self, name: str) -> str:
        return f"{self.settings.results}/videos/{name}.parquet"

    def parts(self, keys: Sequence[Key], annotations: Sequence[str]) -> Words:
        """Return options that tell of which parts of videos some tables of annotations are."""
        words: Words = []
        for key, table in zip(keys, annotations, strict=True):
            part = self.plan.segments[key].part
            if name := self.plan.survey_of(key):
                last = END if part.last is None else str(part.last)
                words += ["--part", table, str(part.first), last, self._survey(name)]
        return words

    def said(self, wildcards: Any) -> list[str]:
        """Return a parameter that changes with what people said of a segment."""
        return self.plan.said(self.key_of(wildcards)) if self.planning else []

    # Several segments

    def tables(self, name: str | Callable[[Key], str], keys: Iterable[Key]) -> list[str]:
        """Return the paths of a table of each of several segments."""
        return [
            f"<results>/segments/{key[0]}/{key[1]}/{name if isinstance(name, str) else name(key)}"
            ".parquet"
            for key in keys
        ]

    def videos(self, keys: Iterable[Key]) -> list[str]:
        """Return the videos of several segments."""
        return [self.plan.source(key, "video") for key in keys]

    def rates_of(self, *splits: str) -> Parameter:
        """Return a parameter: the frames per second of the videos of splits, as options."""

        def written(wildcards: Any) -> Words:
            keys = self.filmed(*splits)
            rates = [self.plan.segments[key].fps for key in keys]
            return repeated("--fps", self.videos(keys), rates)

        return written

    def lack(self, what: str) -> None:
        """End with what the user has to mend in the sheet."""
        self.lacking.append(f"{plan.sheet_path(self.settings)}: {what}")
        raise LookupError(self.lacking[-1])

    def needed(self, keys: list[Key], why: str) -> list[Key]:
        """Return segments; that there are none is for the user to mend."""
        if not keys:
            self.lack(why)
        return keys

    @functools.cache  # noqa: B019 - there is one plan, and it lasts
    def filmed(self, *splits: str) -> list[Key]:
        """Return the segments of ``splits`` that a detector can be trained on, or judged by."""
        return list(self.plan.annotated(splits or SPLITS, filmed=True))

    def training(self) -> list[Key]:
        """Return the segments that the detector is trained on; there must be some."""
        return self.needed(self.filmed("Train"), self.plan.lacking["detector"])

    @functools.cached_property
    def fitting(self) -> list[Key]:
        """The segments that weights are fitted to; there must be some."""
        splits = self.settings.fit_weights.splits
        return self.needed([*self.plan.annotated(splits)], self.plan.lacking["weights"])

    @functools.cached_property
    def learning(self) -> list[Key]:
        """The segments that weights are learnt from without annotations."""
        return spread_over(list(self.plan.segments), self.settings.fit_weights.learnt_segments)

    @functools.cached_property
    def path_fitting(self) -> list[Key]:
        """The segments that the path model is fitted to; there must be some.

        As many of each split as are used, so that the others need not be tracked before. Where no
        segment is annotated, and none needs to be, they are of any split.
        """
        most = self.settings.fit_path.max_segments
        chosen = [
            key
            for split in ("Train", "Validate")
            for key in spread_over(list(self.plan.annotated((split,))), most)
        ]
        if not chosen and self.plan.unannotated:
            chosen = spread_over(list(self.plan.segments), most)
        return self.needed(chosen, self.plan.lacking["path_model"])

    @functools.cached_property
    def placed(self) -> list[Key]:
        """The segments from which it is learnt how animals stay and roam."""
        return spread_over(list(self.plan.segments), self.settings.places.learnt_segments)

    @functools.cached_property
    def drawn(self) -> list[Key]:
        """The segments of which whole assignments can be drawn; there must be some."""
        can = self.default in drawn()
        return self.needed([*self.plan.segments] if can else [], self.plan.lacking["draws"])

    @functools.cached_property
    def studied(self) -> list[Key]:
        """The annotated segments of Train and Validate; there must be some."""
        return self.needed(
            list(self.plan.annotated(("Train", "Validate"))),
            "no segment of split Train or Validate has annotations to study.",
        )

    @functools.cached_property
    def with_video(self) -> list[Key]:
        """The segments that clips can be made of; there must be some."""
        return self.needed(
            [key for key in self.plan.segments if self.plan.exists(key, "video")],
            "no segment has a video that is there, so there is nothing to show in clips.",
        )

    @property
    def told_of(self) -> list[str]:
        """The cages of which the report tells what their animals did."""
        return list(self.plan.cages) if self.settings.report.animals else []

    def filmed_of(self, wildcards: Any) -> list[Key]:
        """Return segments of a cage of which a still may be taken, one of which will be read."""
        filmed = (key for key in self.plan.cages[wildcards.cage] if self.plan.exists(key, "video"))
        return list(itertools.islice(filmed, STILLS))

    # Methods that are shown

    def compared(self) -> list[str]:
        """Return the methods that are shown side by side, at most four, the default first."""
        if self.settings.clips.methods:
            return list(self.settings.clips.methods)
        others = [name for name in self.settings.identify.methods if name != self.default]
        if self.settings.visual.enabled:
            others[2:] = ["visual"]
        return [self.default, *others[:3]]

    def shown(self, wildcards: Any) -> list[str]:
        """Return the methods that clips of a segment may show: the default alone if others lack."""
        names = list(dict.fromkeys([self.default, *self.compared()]))
        return names if {*names} <= {*self.methods_of(self.key_of(wildcards))} else names[:1]

    # The report

    def rendered_clips(self, wildcards: Any) -> Words:
        """Return the table of clips, if there are any, as an option of a command.

        Clips are asked for by themselves (`snakemake clips`): a report shows those that are there,
        and waits for none, so that they must not be an input.
        """
        path = os.path.join(self.settings.results, "report", "clips", "clips.parquet")
        return ["--clips", path] if os.path.isfile(path) else []

    def page_that_asks(self, wildcards: Any) -> Words:
        """Return the page of `snakemake proofread` as an option, as :meth:`rendered_clips` does."""
        path = os.path.join(self.settings.results, "report", "proofread", "index.html")
        return ["--proofread", path] if os.path.isfile(path) else []

    def digest_of_clips(self, wildcards: Any) -> list[str]:
        """Return a parameter that changes with the clips that a report shows."""
        return [plan.digest_file(path) for path in self.rendered_clips(wildcards)[1:]]


def started(wildcards: Any, attempt: int) -> int:
    """Return a resource: how often a job was started, by which its guard knows if it was killed."""
    return attempt


def listed(name: str, option: str) -> Parameter:
    """Return a parameter: an option repeated for each file of an input."""
    return lambda wildcards, input: repeated(option, input[name])


def repeated(option: str, *columns: Iterable[Any]) -> Words:
    """Return an option of a command, repeated for each row of ``columns``."""
    return [part for row in zip(*columns, strict=True) for part in (option, *row)]
