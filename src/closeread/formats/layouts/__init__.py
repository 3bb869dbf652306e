"""Layouts that several formats share: SQuAD's tree, options, annotations, rows."""
