"""Measurements of whole processes and hot loops, each as a ratio against a peer or a floor.

``make bench`` runs ``__main__``, which uses the modules beside it and in ``neural``, on ``inputs``,
against ``peers``. ``research`` is run by hand, for the numbers of pages.
"""
