"""An exam's name means the exam, unless a file lies there by it."""

import closeread
from closeread.exam import locate
from closeread.readers.generative.examples import locate_dataset


def test_the_folder_of_a_run_hides_no_exam(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = closeread.read("exam/zh", "majority", "exam/zh", limit=3)
    assert run.path.is_dir()
    assert closeread.load("exam/zh").path == str(locate("exam/zh"))
    assert locate_dataset("exam/zh") == locate("exam/zh")


def test_a_file_by_an_exam_s_name_is_meant(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "exam").mkdir()
    (tmp_path / "exam/en").write_text('{"id": "q", "passage": "P.", "question": "Q?"}\n', "utf-8")
    assert [one.question_id for one in closeread.load("exam/en").questions()] == ["q"]
