"""The reading path: a question to a typed answer, by an LLM that searches the memory or by rules without one."""
