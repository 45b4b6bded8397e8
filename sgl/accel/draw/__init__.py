"""Sample candidates with compiled code: what ``sgl.sampling.strata`` defines, many times as fast."""

from sgl.accel.draw.sampler import CompiledSampler, SentenceTable, settle
