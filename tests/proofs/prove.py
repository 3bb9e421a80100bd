"""Proves lib/ with Frama-C's WP, function by function, and holds the result against tests/proofs/floor.txt.

    prove.py [--record] [--smoke] [--changed REVISION | --since-record] [--jobs N] [FILE | FUNCTION]...

FILE, FUNCTION      only these, such as token.c or scan_word
--changed REVISION  only what differs from that git revision: functions by text or contract, their callers if the
                    contract differs, a whole file if something else in it does, everything if that is a header
--since-record      these, and what differs from the revision at which all of it was last recorded
--record            writes the floor anew (of what was chosen)
--smoke             looks for contracts and invariants that contradict themselves instead; slow
--jobs N            functions at a time (2)

Needs the Debian packages frama-c-base, why3, cvc4 and z3. Prints TAP: a function passes if none of its goals is
gone and none more is left unproved than the floor says. Frama-C itself exits with 0 even if goals are left.
"""

import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FLOOR = Path(__file__).resolve().parent / 'floor.txt'

# D1G_PLAIN: plain C instead of vector instructions and builtins; tests/bench/steps_test.c holds the two against
# each other. Typed+Cast: `const char *` may be read as `const unsigned char *`.
FRAMA_C = ['frama-c', '-machdep', 'gcc_x86_64', '-cpp-extra-args=-Iinclude -Ilib -DD1G_PLAIN',
           '-wp', '-wp-rte', '-wp-model', 'Typed+Cast', '-wp-no-init-const', '-wp-no-warn-memory-model', '-wp-par', '1']
SMOKE = ['-wp-smoke-tests', '-wp-prover', 'cvc4', '-wp-timeout', '2']

# Without some of its own strategies Z3 proves much more here; with them, a little else.
Z3_OPTIONS = 'auto_config=false smt.mbqi=false smt.arith.solver=2'
ATTEMPTS = [(Z3_OPTIONS, ['-wp-prover', 'z3', '-wp-timeout', '4']),
            (Z3_OPTIONS, ['-wp-prover', 'z3,cvc4', '-wp-timeout', '15']),
            ('', ['-wp-prover', 'z3,cvc4', '-wp-timeout', '10'])]

# The functions of a header are proved as part of one file that includes it.
SEEN_IN = {'policy.h': 'policy.c', 'window.h': 'plain.c', 'writer.h': 'names.c'}
NOT_PLAIN = {'d1g_is_wide'}  # not there with D1G_PLAIN

ACSL = r'/\*@(?:(?!\*/).)*\*/\n'
FUNCTION = re.compile(rf'((?:{ACSL})?)^(?:(?:D1G_APART )?[a-z][^\n;(){{}}=]*?\b(\w+)\([^;{{}}]*?\)(;|\n\{{\n.*?^\}}\n)'
                      r'|[A-Z]+_FUNCTION\((\w+), [^\n]*\n)', re.DOTALL | re.MULTILINE)


class Function:
    def __init__(self, file):
        self.file, self.contract, self.body = file, '', ''

    def unchecked(self):
        """What WP takes on trust: the missing contract of a function, the missing variant of a loop."""
        code = re.sub(r'/\*.*?\*/', '', self.body, flags=re.DOTALL)
        loops = len(re.findall(r'\b(?:for|while) \(|\bdo \{', code)) - len(re.findall(r'\} while \(', code))
        return ('assigns' not in self.contract) + max(0, loops - self.body.count('loop variant'))


class Sources:
    """The functions of lib/, and what else its files say, comments aside."""

    def __init__(self, files):
        self.functions, self.rest, declared = {}, {}, {}
        for name, text in sorted(files.items()):
            rest, end = '', 0
            for found in FUNCTION.finditer(text):
                contract, function, body, made = found.groups()
                rest, end = rest + text[end:found.start()], found.end()
                if function in NOT_PLAIN:
                    continue
                if body == ';':
                    declared[function] = contract
                    continue
                home = name if name.endswith('.c') else SEEN_IN.get(name, 'token.c')
                entry = self.functions.setdefault(function or made, Function(home))
                entry.contract += contract
                entry.body += found[0][len(contract):]
            self.rest[name] = re.sub(r'/\*[^@].*?\*/', '', rest + text[end:], flags=re.DOTALL)
        for function, contract in declared.items():
            if function in self.functions:
                self.functions[function].contract += contract


def sources_now():
    return Sources({path.name: path.read_text() for path in (ROOT / 'lib').glob('*.[ch]')})


def git(*command):
    return subprocess.run(['git', '-C', ROOT, *command], check=True, capture_output=True, text=True).stdout


def sources_at(revision):
    names = git('ls-tree', '--name-only', revision, 'lib/').split()
    return Sources({name[4:]: git('show', f'{revision}:{name}') for name in names if name.endswith(('.c', '.h'))})


def changed_since_record(now, revision):
    try:
        return changed(now, sources_at(revision))
    except (subprocess.CalledProcessError, FileNotFoundError):  # no such revision, no repository, no git
        print(f'# revision {revision} cannot be compared with', flush=True)
        return set()


def changed(now, then):
    other = {file for file in now.rest if now.rest[file] != then.rest.get(file)}
    if any(file.endswith('.h') for file in other):
        return set(now.functions)
    gone = Function('')
    promises = [name for name, f in now.functions.items() if f.contract != then.functions.get(name, gone).contract]
    calls = re.compile(r'\b(?:' + '|'.join(promises + ['$^']) + r')\(')
    return {name for name, f in now.functions.items()
            if f.file in other or name in promises or f.body != then.functions.get(name, gone).body or calls.search(f.body)}


def set_up_provers(home):
    """The environment in which Why3 finds its provers: Z3 by a script that gives it its options."""
    config, z3 = home / 'why3.conf', home / 'z3'
    environment = {**os.environ, 'WHY3CONFIG': str(config), 'PWD': str(ROOT)}  # Frama-C believes PWD
    subprocess.run(['why3', 'config', 'detect'], env=environment, check=True, capture_output=True)
    z3.write_text(f'#!/bin/sh\nexec {shutil.which("z3")} $Z3_OPTIONS "$@"\n')
    z3.chmod(0o755)
    config.write_text(re.sub(r'path = ".*/z3"', f'path = "{z3}"', config.read_text()))
    return environment


def run(function, file, arguments, environment):
    with tempfile.TemporaryDirectory() as session:
        done = subprocess.run([*FRAMA_C, '-session', session, '-wp-fct', function, *arguments, f'lib/{file}'], cwd=ROOT,
                              env=environment, capture_output=True, text=True)
    count = re.search(r'Proved goals: +(\d+) / (\d+)', done.stdout)
    if done.returncode != 0 or (not count and 'No proof obligations' not in done.stdout):
        return 0, 0, done.stdout + done.stderr
    proved, total = (int(count[1]), int(count[2])) if count else (0, 0)
    left = re.findall(r'^\[wp\] \[.*\] Goal (?!.* : Valid).*', done.stdout, re.MULTILINE)
    return proved, total, '\n'.join(left)


def prove(function, entry, known, environment):
    """Tries harder only where more goals are left than is known."""
    unchecked = entry.unchecked()
    proved = -1
    for z3_options, arguments in ATTEMPTS:
        result = run(function, entry.file, arguments, {**environment, 'Z3_OPTIONS': z3_options})
        if result[0] > proved:
            proved, total, left = result
        if total > 0 and total + unchecked - proved <= known:
            break
    if unchecked:
        left += f'\n{unchecked} of contract and loop variants missing'
    return proved, total + unchecked, left


def smoke(function, entry, environment):
    """Whether something in the function is proved to be unreachable, or anything would follow from its contract."""
    _, _, left = run(function, entry.file, SMOKE, environment)
    return [line for line in left.split('\n') if 'Smoke-test' in line or 'Error' in line]


def smoke_all(names, functions, environment, pool):
    failed = 0
    results = pool.map(lambda name: smoke(name, functions[name], environment), names)
    for number, (name, faults) in enumerate(zip(names, results), 1):
        failed += bool(faults)
        print(f"{'not ' if faults else ''}ok {number} - {functions[name].file} {name}: no contradiction", flush=True)
        for line in faults:
            print(f'# {line}')
    return failed != 0


def read_floor():
    lines = FLOOR.read_text().splitlines()
    rows = [line.split() for line in lines if line and not line.startswith('#')]
    return lines[0].split()[-1], {row[1]: (row[0], int(row[2]), int(row[3])) for row in rows}


def write_floor(revision, floor):
    rows = sorted((file, function, proved, total) for function, (file, proved, total) in floor.items())
    with FLOOR.open('w') as out:
        out.write(f'# Written by prove.py --record, all of it last at {revision}\n')
        out.write('# File, function, goals proved, goals in all.\n')
        for file, function, proved, total in rows:
            out.write(f'{file:12} {function:28} {proved:4} {total:4}\n')


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('chosen', nargs='*')
    parser.add_argument('--changed')
    parser.add_argument('--since-record', action='store_true')
    parser.add_argument('--record', action='store_true')
    parser.add_argument('--smoke', action='store_true')
    parser.add_argument('--jobs', type=int, default=2)
    options = parser.parse_args()

    now = sources_now()
    revision, floor = read_floor()
    names = set(now.functions)
    if options.changed:
        names &= changed(now, sources_at(options.changed))
    if options.chosen or options.since_record:
        names = {name for name in names if name in options.chosen or now.functions[name].file in options.chosen}
    if options.since_record:
        names |= changed_since_record(now, revision)
    is_whole = not (options.chosen or options.changed or options.since_record or options.smoke)
    gone = sorted(set(floor) - names) if is_whole else []
    if options.record and is_whole:
        revision = git('rev-parse', '--short', 'HEAD').strip()
    names = sorted(names, key=lambda name: (now.functions[name].file, name))

    print(f'1..{len(names) + len(gone)}', flush=True)
    failed = 0
    all_proved = all_goals = 0
    with tempfile.TemporaryDirectory() as home, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        environment = set_up_provers(Path(home))
        if options.smoke:
            return smoke_all(names, now.functions, environment, pool)

        def result_of(name):
            _, proved, total = floor.get(name, ('', 0, 0))
            return prove(name, now.functions[name], 0 if options.record else total - proved, environment)

        results = pool.map(result_of, names)
        for number, (name, (proved, total, left)) in enumerate(zip(names, results), 1):
            file = now.functions[name].file
            _, floor_proved, floor_total = floor.get(name, (file, 0, 0))
            broken = 'User Error' in left
            good = not broken and (options.record or (name in floor and proved >= floor_proved
                                                      and total - proved <= floor_total - floor_proved))
            failed += not good
            all_proved += proved
            all_goals += total
            print(f"{'' if good else 'not '}ok {number} - {file} {name}: {proved} of {total} goals", flush=True)
            if name not in floor and not good:
                print('# not in the floor: --record', flush=True)
            for line in left.split('\n') if left else []:
                print(f'# {line}', flush=True)
            if options.record and not broken:
                floor[name] = (file, proved, total)
                write_floor(revision, floor)
    for number, name in enumerate(gone, len(names) + 1):
        if options.record:
            del floor[name]
        else:
            failed += 1
        print(f"{'' if options.record else 'not '}ok {number} - {name} is gone")
    if options.record:
        write_floor(revision, floor)
    print(f'# {all_proved} of {all_goals} goals proved')
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
