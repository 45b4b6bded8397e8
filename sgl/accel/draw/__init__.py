"""Sample candidates with compiled code: what ``sgl.sampling.batch`` defines, many times as fast."""

from sgl.accel.draw.sampler import CompiledSampler, SentenceTable, settle
