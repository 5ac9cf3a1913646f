"""Pictures and their files."""

from experiments.pictures import Picture, write_pictures


def test_pictures_are_written_with_their_prefix(tmp_path):
    """One PNG file each, of the size asked for, the same bytes each time."""
    line = Picture("line", "A line.", lambda figure: figure.add_subplot().plot([0, 1]), (2.0, 1.0))
    files = write_pictures([line, line], tmp_path, "toy-")
    assert files == [tmp_path / "toy-line.png"] * 2
    first = files[0].read_bytes()
    assert first.startswith(b"\x89PNG")
    assert int.from_bytes(first[16:20]) == 220  # pixels: 2 inches at 110 per inch
    write_pictures([line], tmp_path)
    assert (tmp_path / "line.png").read_bytes() == first
