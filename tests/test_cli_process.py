"""What the command does to the process it runs in, and what it leaves alone."""

import gc
import subprocess
import sys

from maskwise.cli import YOUNG_OBJECTS, main


def test_a_command_of_its_own_process_looks_for_cycles_seldom_and_still_does():
    script = (
        "import atexit, gc, sys\n"
        "from maskwise.cli import main\n"
        "atexit.register(lambda: print(gc.isenabled(), *gc.get_threshold(), gc.get_freeze_count() > 1000))\n"
        "sys.argv = ['maskwise', 'config', 'show']\n"
        "sys.exit(main())\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == f"True {YOUNG_OBJECTS} 10 10 True"


def test_another_programs_collector_is_left_alone(capsys):
    before = gc.isenabled(), gc.get_threshold(), gc.get_freeze_count()
    assert main(["--help"]) == 0
    assert (gc.isenabled(), gc.get_threshold(), gc.get_freeze_count()) == before
    assert "Commands" in capsys.readouterr().out
