"""NaVQA, the questions of the ReMEmbR paper about drives of the CODa data set: its files read, asked, and answered."""
