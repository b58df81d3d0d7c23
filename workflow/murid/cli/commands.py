"""The commands of stages, made of their declarations."""

import functools
import inspect
from collections import Counter
from typing import Any

import click

from murid.cli import options
from murid.errors import InputError, SeveralErrors
from murid.stage import Stage
from murid.stages import STAGES, blocks_of, settings_of, stage_of


class Stages(click.Group):
    """A group of which each stage is a command, made when it is asked for.

    Parameters
    ----------
    words
        The words before a command's last one, each with a space behind.
    """

    def __init__(self, *args: Any, words: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.words = words

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        words = {
            name.removeprefix(self.words).partition(" ")[0]
            for name in STAGES
            if name.startswith(self.words)
        }
        return sorted({*words, *super().list_commands(ctx)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, or None if there is none of that name."""
        name = self.words + cmd_name
        if name in STAGES:
            return command_of(name)
        return super().get_command(ctx, cmd_name)


class StageCommand(click.Command):
    """The command of a stage.

    Parameters
    ----------
    name
        Its last word.
    stage
        The declaration.
    """

    def __init__(self, name: str, stage: type[Stage]) -> None:
        self.stage = stage
        blocks = blocks_of(stage)
        parameters: list[click.Parameter] = []
        for field_name, field in stage.model_fields.items():
            if field_name in blocks:
                parameters += options.of_block(blocks[field_name])
            else:
                parameters.append(options.of_field(field_name, field))
        help = inspect.getdoc(stage)
        super().__init__(name, params=parameters, help=help, callback=self.work)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse a command line, of which an option that is no list may stand once.

        Raises
        ------
        SeveralErrors
            Naming every option that is given again: the last one would win without a word.
        """
        given = Counter(self.make_parser(ctx).parse_args(args=list(args))[2])
        again = [
            InputError("options", f"it {count} times", "it once", where=parameter.opts[0])
            for parameter, count in given.items()
            if isinstance(parameter, click.Option) and count > 1 and not parameter.multiple
        ]
        if again and not ctx.resilient_parsing:
            raise SeveralErrors(again)
        return super().parse_args(ctx, args)

    def work(self, **given: Any) -> None:
        """Run the stage with what its options say."""
        values: dict[str, Any] = {}
        for name, model in blocks_of(self.stage).items():
            texts = {key: given.pop(key) for key in model.model_fields}
            values[name] = {
                key: options.value_of(key, text) for key, text in texts.items() if text is not None
            }
        values |= {name: value for name, value in given.items() if value not in (None, ())}
        for name in settings_of(self.stage).keys() & values.keys():
            values[name] = options.value_of(name, values[name])
        self.stage.of_options(values).run()


@functools.cache
def command_of(name: str) -> StageCommand:
    """Return the command of a stage, by all its words."""
    return StageCommand(name.rpartition(" ")[2], stage_of(name))
