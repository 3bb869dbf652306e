"""What the sets of the MRQA shared task hold before their documents, titles and paragraphs."""

MARK = r"\[(?:DOC|TLE|PAR|SEP)\]"
