"""The memory: where the writing path (`remember`) and the reading path (`recall`) meet. Milvus through pymilvus."""
