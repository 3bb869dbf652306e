"""SQuAD 1.1 and 2.0 (Rajpurkar et al. 2016, 2018) and the many sets in their form.

``{"version", "data": [{"title", "paragraphs": [{"context", "qas": [{"id", "question",
"answers": [{"text", "answer_start"}], "is_impossible", "plausible_answers"}]}]}]}``
"""
