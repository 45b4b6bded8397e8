"""Sample candidates with compiled code: what ``sgl.sampling.batch`` defines, many times as fast."""

from sgl.accel.draw.sampler import CompiledSampler, settle
from sgl.accel.draw.sentence_table import SentenceTable
