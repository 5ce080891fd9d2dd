#!/usr/bin/env python3
"""big_symbols - a program with many more symbols than it had.

	big_symbols.py FROM TO COUNT [NAME_BYTES [first]]

TO is the program FROM with COUNT more function symbols, spread over its .text, called
extra_0 and so on, each nearer to the code after it than the function's own; with NAME_BYTES all of
them have one and the same name of so many bytes.  They come behind the symbols it had, or first.
It runs as FROM does: what is loaded is not touched.  (ELF-64, System V ABI.)
"""
import struct
import sys

SHDR = struct.Struct('<IIQQQQIIQQ')
SYM = struct.Struct('<IBBHQQ')
SHT_SYMTAB = 2
GLOBAL_FUNC = 1 << 4 | 2


def main():
    source, target, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    name_bytes = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    with open(source, 'rb') as file:
        data = bytearray(file.read())
    table, = struct.unpack_from('<Q', data, 0x28)
    number, names_at = struct.unpack_from('<HH', data, 0x3c)
    heads = [list(SHDR.unpack_from(data, table + i * SHDR.size)) for i in range(number)]
    name_of = heads[names_at][4]

    def called(head):
        begin = name_of + head[0]
        return data[begin:data.index(0, begin)].decode()

    symbols, = (h for h in heads if h[1] == SHT_SYMTAB)
    strings = heads[symbols[6]]
    text, text_head = next((i, h) for i, h in enumerate(heads) if called(h) == '.text')
    kept = bytes(data[symbols[4]:symbols[4] + symbols[5]])
    names = bytearray(data[strings[4]:strings[4] + strings[5]])
    at = []
    if name_bytes:
        at = [len(names)] * count
        names += b'x' * name_bytes + b'\0'
    else:
        for i in range(count):
            at.append(len(names))
            names += b'extra_%d\0' % i
    step = text_head[5] / count
    more = b''.join(SYM.pack(name, GLOBAL_FUNC, 0, text, text_head[3] + int(i * step), 1)
                    for i, name in enumerate(at))
    data += bytes(-len(data) % 16)
    symbols[4], symbols[5] = len(data), len(kept) + len(more)
    data += more + kept if 'first' in sys.argv else kept + more
    strings[4], strings[5] = len(data), len(names)
    data += names
    data += bytes(-len(data) % 16)
    struct.pack_into('<Q', data, 0x28, len(data))
    for head in heads:
        data += SHDR.pack(*head)
    with open(target, 'wb') as file:
        file.write(data)


main()
