"""Measurements of whole processes and hot loops, each as a ratio against a peer or a floor.

``make bench`` runs ``__main__``, which measures by what stands beside it and in ``neural``, on
``inputs``, against ``peers``. What is in ``research`` is run by hand: the numbers of pages.
"""
