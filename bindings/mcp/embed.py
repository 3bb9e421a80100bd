"""Writes a file as a C string: embed.py INPUT OUTPUT NAME"""
import sys

source, target, name = sys.argv[1:]
with open(source, 'rb') as f:
    data = f.read()
with open(target, 'w', encoding='ascii') as out:
    out.write(f'extern const char {name}[];\nconst char {name}[] = {{\n')
    for at in range(0, len(data), 20):
        out.write('    ' + ' '.join(f'{byte},' if byte < 128 else f'(char){byte},' for byte in data[at:at + 20]) + '\n')
    out.write('    0\n};\n')
