"""Patterns of the marks with which MRQA sets begin documents, titles and paragraphs."""

MARK = r"\[(?:DOC|TLE|PAR|SEP)\]"
# Natural Questions also keeps block elements: `<P> ... </P>`, `<Td_colspan="2">`, `<Li>`.
BLOCK = r"</?(?:P|Table|T[rdh]|[UOD]l|Li|D[td]|H[1-6])(?:_[^\s<>]{1,60})?>"
