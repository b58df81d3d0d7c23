"""The stage that brings every rig set-up into one frame of reference."""

from pathlib import Path

from murid import settings
from murid.stage import Stage, makes, reads, takes


class Calibrate(Stage):
    """Bring every rig set-up into one frame of reference."""

    points: Path | None = reads(
        "CSV of rig, antenna, x, y; points of VIA; or CSV of rig, recording (of the checkerboard); "
        "without it, one rig only",
        default=None,
    )
    rigs: tuple[str, ...] = takes("set-up in use; repeatable", option="--rig")
    output_transforms: Path = makes("transforms", "transforms.parquet", option="--output")
    output_points: Path | None = makes(
        "calibration_points", "calibration_points to write", default=None
    )
    output_residuals: Path | None = makes(
        "calibration_residuals", "calibration_residuals to write", default=None
    )
    grid: settings.Grid = settings.Grid()
    image: settings.Image = settings.Image()
    calibrate: settings.Calibrate = settings.Calibrate()

    def run(self) -> None:
        """Calibrate; of rigs that cannot be, the table keeps the reason."""
        from murid import rigs, tables
        from murid.calibrate import calibration

        made = calibration.calibrate_rigs(self)
        about = {f"{rigs.REFUSED}{rig}": str(fault) for rig, fault in made.refused.items()}
        about |= {f"{rigs.REMARK}{rig}": remark for rig, remark in made.remarks.items()}
        tables.write(made.transforms, self.output_transforms, "transforms", about=about)
        if self.output_points is not None:
            tables.write(made.points, self.output_points, "calibration_points")
        if self.output_residuals is not None:
            tables.write(made.residuals, self.output_residuals, "calibration_residuals")
