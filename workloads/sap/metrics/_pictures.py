# SPDX-License-Identifier: MIT
"""Pictures that were sent and arrived, damaged perhaps. NumPy and Pillow are loaded only when there is one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image

PIXELS_MOST = 50_000_000


def decode(path: Path) -> Image.Image | None:
    """The picture in a file as far as it can be decoded, in RGB; None where it cannot be at all.

    What the decoder does not reach stays grey or black, as it leaves it.
    """
    from PIL import Image, ImageFile

    before = ImageFile.LOAD_TRUNCATED_IMAGES
    ImageFile.LOAD_TRUNCATED_IMAGES = True  # damaged ones, too: that is what they are for
    try:
        with Image.open(path) as image:
            if image.width * image.height > PIXELS_MOST:  # a damaged header may say anything
                return None
            return image.convert("RGB")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):  # all that Pillow's decoders raise
        return None
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = before


def psnr_db(sent: Image.Image, received: Image.Image) -> float | None:
    """Peak signal-to-noise ratio over all pixels and the three colours, of 8 bits; None where they are equal.

    Raises:
        ValueError: they are not of one size.
    """
    import numpy as np

    if sent.size != received.size:
        raise ValueError(f"pictures of {sent.size} and {received.size} pixels")
    pixels: list[NDArray[np.float64]] = [np.asarray(image, dtype=np.float64) for image in (sent, received)]
    error = float(np.mean((pixels[0] - pixels[1]) ** 2))
    return None if error == 0 else float(10 * np.log10(255.0**2 / error))
