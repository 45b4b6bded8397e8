"""Read many texts with compiled code: what ``sgl.parsing.parser`` defines, many times as fast."""

from sgl.accel.parse.productions import UnsuitableLayerError
from sgl.accel.parse.reader import CompiledReader
