"""Simulated deployments of weeks with a known truth, and questions about them. It is not NaVQA: nobody filmed it.

In: a seed. Out: `Memory` records as a captioner and a localized robot would leave them, and `Case`s with their truth.
Times ns since the Unix epoch, places in metres in the frame of a floor's map.
"""
