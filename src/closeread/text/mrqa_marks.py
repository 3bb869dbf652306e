"""What the sets of the MRQA shared task hold before their documents, titles and paragraphs."""

MARK = r"\[(?:DOC|TLE|PAR|SEP)\]"
# Natural Questions keeps its pages' blocks besides: `<P> ... </P>`, `<Td_colspan="2">`, `<Li>`.
BLOCK = r"</?(?:P|Table|T[rdh]|[UOD]l|Li|D[td]|H[1-6])(?:_[^\s<>]{1,60})?>"
