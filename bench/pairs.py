"""Workloads of OpenGL under llvmpipe and under teslapipe, in turn, and their ratios: bench/{gl43,waits,pixels}/compare.

    compare [-r ROUNDS] [-t SECONDS] [--reference COMMAND] [--tried COMMAND] [-o FOLDER] [WORKLOAD ...]

Builds the program into $BUILD (default: build). A figure is the median over the rounds of the median of a frame: CPU time of
all threads, which other work on the machine changes little, and wall time. "ratio" above 1: teslapipe is faster. The pictures
must agree: their mean difference is at most 3 of 255. Exit status 1 if a picture differs more. -o keeps the pictures.
"""
import argparse, glob, math, os, shlex, statistics, subprocess, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
REFERENCE = ("env EGL_PLATFORM=surfaceless LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=llvmpipe "
             f"LP_NUM_THREADS={os.cpu_count()}")
MOST = 3.0


def build(name):
    """The program bench/NAME: its own sources, the main program and the helpers of bench/gl43."""
    program, folder = os.path.join(BUILD, name), os.path.join(HERE, name)
    sources = {*glob.glob(f"{folder}/*.c"), f"{HERE}/gl43/main.c", f"{HERE}/gl43/support.c"}
    subprocess.run([os.environ.get("CC", "cc"), "-std=gnu17", "-O2", "-Wall", "-Wextra", f"-I{HERE}/..",
                    f'-DWORKLOADS_DIR="{folder}"', "-o", program, *sorted(sources), "-lEGL", "-lGL", "-lm"], check=True)
    return program


def run(prefix, program, *arguments):
    out = subprocess.run([*shlex.split(prefix), program, *arguments], capture_output=True, text=True, timeout=600,
                         env=dict(os.environ, MESA_SHADER_CACHE_DISABLE="true"))
    if out.returncode:
        raise SystemExit(f"{prefix} {os.path.basename(program)} {' '.join(arguments)}: {out.stdout}{out.stderr}")
    return out.stdout.strip()


def figures(line):
    values = dict(f.split("=") for f in line.split()[1:])
    return {name: float(values[name]) for name in ("ms", "cpu", "first")}


def difference(a, b):
    with open(a, "rb") as fa, open(b, "rb") as fb:
        xs, ys = fa.read()[15::7], fb.read()[15::7]  # every seventh byte is enough for a mean
    return sum(abs(x - y) for x, y in zip(xs, ys)) / len(xs)


def compare(o, program, workload, folder):
    sides = {"reference": [], "tried": []}
    for i in range(o.r):
        for side in sorted(sides, reverse=i % 2):
            picture = os.path.join(folder, f"{workload}-{side}.ppm")
            line = run(getattr(o, side), program, "-t", str(o.t), "-o", picture, workload)
            sides[side].append(figures(line))
    median = {s: {k: statistics.median(f[k] for f in fs) for k in fs[0]} for s, fs in sides.items()}
    return median, difference(*(os.path.join(folder, f"{workload}-{s}.ppm") for s in sides))


def main(name, workloads, chip):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("-r", type=int, default=3, help="rounds")
    p.add_argument("-t", type=float, default=1, help="seconds of frames a run")
    p.add_argument("-o", help="folder for the pictures")
    p.add_argument("--reference", default=REFERENCE)
    p.add_argument("--tried", default=f"{BUILD}/teslapipe gl --chip {chip} --")
    p.add_argument("workload", nargs="*")
    o = p.parse_args()
    program, wrong, ratios = build(name), 0, []
    for side in ("reference", "tried"):
        print(f"{side}: {run(getattr(o, side), program, 'info')}")
    print(f"{'':10} | {'CPU ms a frame':^26} | {'wall ms a frame':^26} | {'first':>6} |\n{'workload':10}"
          + f" |{'reference':>10}{'tried':>8}{'ratio':>8} " * 2 + f"| {'ratio':>6} | difference")
    with tempfile.TemporaryDirectory() as scratch:
        if o.o:
            os.makedirs(o.o, exist_ok=True)
        for w in o.workload or workloads:
            m, d = compare(o, program, w, o.o or scratch)
            a, b = m["reference"], m["tried"]
            ratios.append(a["cpu"] / b["cpu"])
            wrong += d > MOST
            print(f"{w:10}" + "".join(f" |{a[k]:10.1f}{b[k]:8.1f}{a[k] / b[k]:8.2f} " for k in ("cpu", "ms"))
                  + f"| {a['first'] / b['first']:6.2f} | {d:.2f}{' WRONG PICTURE' if d > MOST else ''}", flush=True)
    print(f"CPU time: geometric mean of the ratios {math.exp(statistics.mean(map(math.log, ratios))):.2f}, "
          f"lowest {min(ratios):.2f}; wrong pictures: {wrong}")
    return 1 if wrong else 0
