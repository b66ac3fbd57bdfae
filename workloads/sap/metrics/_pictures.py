# SPDX-License-Identifier: MIT
"""Sent and received pictures, which may be damaged. NumPy and Pillow are imported only when needed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lab import left

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image

PIXELS_MOST = 50_000_000


def decode(path: Path) -> Image.Image | None:
    """Return the picture in a file in RGB, as far as it can be decoded; None if it cannot be decoded at all.

    Parts that the decoder does not reach stay grey or black.
    """
    from PIL import Image, ImageFile

    before = ImageFile.LOAD_TRUNCATED_IMAGES
    ImageFile.LOAD_TRUNCATED_IMAGES = True  # also damaged ones
    try:
        with left.opened(path) as file, Image.open(file) as image:
            if image.width * image.height > PIXELS_MOST:  # a damaged header may contain anything
                return None
            return image.convert("RGB")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):  # everything that Pillow's decoders raise
        return None
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = before


def psnr_db(sent: Image.Image, received: Image.Image) -> float | None:
    """Return the peak signal-to-noise ratio over all pixels and the three 8-bit colours; None if they are equal.

    Raises:
        ValueError: If they differ in size.
    """
    import numpy as np

    if sent.size != received.size:
        raise ValueError(f"the pictures differ in size: {sent.size} and {received.size} pixels")
    pixels: list[NDArray[np.float64]] = [np.asarray(image, dtype=np.float64) for image in (sent, received)]
    error = float(np.mean((pixels[0] - pixels[1]) ** 2))
    return None if error == 0 else float(10 * np.log10(255.0**2 / error))
