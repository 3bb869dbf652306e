"""Does a benchmark's score move over models as others do, and is it a measure of models at all?"""
