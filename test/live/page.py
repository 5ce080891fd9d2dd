"""page - what a browser's page does, and what it must not get away with, for serve.sh.

	page.py ADDRESS CASE [ARGUMENT...]

ADDRESS is what `sonde live` prints, or the path of its Unix socket.  A case returns when what
it says has been seen, and raises when it has not.
"""
import base64
import http.client
import json
import os
import re
import socket
import struct
import sys
import time

PATIENCE = 20


class Address:
    def __init__(self, text):
        self.path = text if text.startswith('/') else None
        found = re.fullmatch(r'http://(.+):(\d+)/#t=([0-9a-f]{32})', text)
        assert self.path or found, 'no address: %r' % text
        self.host, self.port, self.token = found.groups() if found else ('localhost', 0, '')
        self.port = int(self.port)

    def connect(self):
        if not self.path:
            return socket.create_connection((self.host, self.port), PATIENCE)
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(PATIENCE)
        s.connect(self.path)
        return s


def request(address, method, path, body=None, host=None, origin=None, token=None):
    """The status, the body and the headers of the answer."""
    c = http.client.HTTPConnection(address.host, address.port, timeout=PATIENCE)
    c.sock = address.connect()
    c.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    c.putheader('Host', host or '%s:%d' % (address.host, address.port))
    token = address.token if token is None else token
    if token:
        c.putheader('Authorization', 'Bearer ' + token)
    if origin:
        c.putheader('Origin', origin)
    if body is not None:
        c.putheader('Content-Length', str(len(body)))
    c.endheaders()
    try:
        if body is not None:
            c.send(body)
    except (BrokenPipeError, ConnectionResetError):
        pass
    answer = c.getresponse()
    return answer.status, answer.read(), dict((k.lower(), v) for k, v in answer.getheaders())


def verb(address, name, **arguments):
    status, body, _ = request(address, 'POST', '/api/' + name, json.dumps(arguments).encode())
    assert status == 200, (status, body)
    return json.loads(body)


class Page:
    """One WebSocket, and the tree it was told."""

    def __init__(self, address, token=None, origin=None):
        self.socket = address.connect()
        self.buffer = b''
        self.forget()
        self.seq = self.epoch = 0
        self.scene = None
        lines = ['GET /?t=%s HTTP/1.1' % (address.token if token is None else token),
                 'Host: %s:%d' % (address.host, address.port), 'Upgrade: websocket',
                 'Connection: Upgrade', 'Sec-WebSocket-Version: 13',
                 'Sec-WebSocket-Key: ' + base64.b64encode(os.urandom(16)).decode(),
                 'Sec-WebSocket-Protocol: sonde']
        if origin:
            lines.append('Origin: ' + origin)
        self.socket.sendall(('\r\n'.join(lines) + '\r\n\r\n').encode())
        while b'\r\n\r\n' not in self.buffer:
            if not self.more():
                break
        head, _, self.buffer = self.buffer.partition(b'\r\n\r\n')
        self.open = head.startswith(b'HTTP/1.1 101')

    def forget(self):
        self.strings, self.frames, self.nodes, self.self_nsec = [], [], [], {}

    def more(self):
        try:
            got = self.socket.recv(65536)
        except ConnectionResetError:
            got = b''
        self.buffer += got
        return got

    def take(self, size):
        while len(self.buffer) < size:
            if not self.more():
                raise EOFError
        taken, self.buffer = self.buffer[:size], self.buffer[size:]
        return taken

    def send(self, message):
        text = message if isinstance(message, bytes) else json.dumps(message).encode()
        mask = os.urandom(4)
        size = len(text)
        head = bytes([0x81]) + (bytes([0x80 | size]) if size < 126 else
                                bytes([0xfe]) + struct.pack('>H', size) if size < 65536 else
                                bytes([0xff]) + struct.pack('>Q', size))
        masked = bytes(b ^ mask[i % 4] for i, b in enumerate(text))
        self.socket.sendall(head + mask + masked)

    def message(self, seconds=PATIENCE):
        """A dict, bytes of a drawing, or None if nothing comes."""
        self.socket.settimeout(seconds)
        whole = b''
        try:
            while True:
                first, size = self.take(2)
                if size == 126:
                    size, = struct.unpack('>H', self.take(2))
                elif size == 127:
                    size, = struct.unpack('>Q', self.take(8))
                whole += self.take(size)
                if first & 0xf == 8:
                    raise EOFError
                binary = first & 0xf == 2 if first & 0xf else binary
                if first & 0x80:
                    return self.drawing(whole) if binary else json.loads(whole)
        except socket.timeout:
            return None

    def drawing(self, m):
        assert m[:4] == b'snd1'
        seq, epoch, sections = struct.unpack_from('<3I', m, 4)
        assert seq == self.seq + 1, 'message %d after %d' % (seq, self.seq)
        if epoch != self.epoch:
            self.forget()
        self.seq, self.epoch = seq, epoch
        at = 16
        for _ in range(sections):
            kind, count, base, size = struct.unpack_from('<4I', m, at)
            self.section(kind, count, base, m[at + 16:at + 16 + size])
            at += 16 + size
        assert at == len(m)
        return m

    def section(self, kind, count, base, m):
        if kind == 1:
            self.scene = json.loads(m[:count])
        elif kind == 2:
            assert base == len(self.strings)
            at = 4 * count
            for size in struct.unpack_from('<%dI' % count, m):
                self.strings.append(m[at:at + size].decode())
                at += size
        elif kind in (3, 4):
            width, known = (5, self.frames) if kind == 3 else (3, self.nodes)
            assert base == len(known)
            flat = struct.unpack_from('<%dI' % (width * count), m)
            known.extend(zip(*(flat[i * count:(i + 1) * count] for i in range(width))))
        elif kind == 5:
            nodes = struct.unpack_from('<%dI' % count, m)
            nsec = struct.unpack_from('<%df' % count, m, 4 * count)
            for node, value in zip(nodes, nsec):
                assert node < len(self.nodes)
                self.self_nsec[base, node] = value

    def next_drawing(self, seconds=PATIENCE):
        """The next drawing, said to be drawn; other messages are left out."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            m = self.message(max(until - time.monotonic(), 0.01))
            if isinstance(m, bytes):
                self.send({'drawn': self.seq})
                return m
        return None

    def ask(self, message, number=7):
        self.send(dict(message, id=number))
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            m = self.message()
            if isinstance(m, dict) and m.get('id') == number:
                return m
        raise AssertionError('no reply')

    def names(self):
        return {self.strings[self.frames[n[1]][0]] for n in self.nodes}

    def until(self, condition):
        end = time.monotonic() + PATIENCE
        while not self.scene or not condition(self):
            assert time.monotonic() < end, self.scene
            self.next_drawing()


# ---- cases ----

def case_refusals(address):
    """What is answered by a status and a sentence: METHOD PATH and what is wrong with it."""
    wrong = [
        (401, dict(method='GET', path='/api/verbs', token='')),
        (401, dict(method='GET', path='/metrics', token='')),
        (401, dict(method='POST', path='/api/ask', token='0' * 32)),
        (401, dict(method='POST', path='/api/ask', token='0' * 2000)),
        (403, dict(method='GET', path='/', host='evil.example:7474')),
        (403, dict(method='POST', path='/api/ask', host='evil.example')),
        (403, dict(method='POST', path='/api/ask', origin='http://evil.example')),
        (403, dict(method='GET', path='/', origin='null')),
        (404, dict(method='GET', path='/etc/passwd')),
        (404, dict(method='GET', path='/../../etc/passwd')),
        (404, dict(method='POST', path='/api/fly', body=b'{}')),
        (405, dict(method='GET', path='/api/ask')),
        (405, dict(method='POST', path='/metrics', body=b'')),
        (405, dict(method='PUT', path='/api/ask', body=b'{}')),
        (405, dict(method='DELETE', path='/api/ask')),
        (400, dict(method='POST', path='/api/ask', body=b'{')),
        (400, dict(method='POST', path='/api/ask', body=b'\xff\xfe')),
        (400, dict(method='POST', path='/api/ask', body=b'[' * 60000)),
        (400, dict(method='POST', path='/api/ask', body=b'{"split": "dur >"}')),
        (400, dict(method='POST', path='/api/ask', body=b'{"splt": "dur > 1ms"}')),
        (413, dict(method='POST', path='/api/ask', body=b' ' * 10000000)),
    ]
    for status, q in wrong:
        try:
            got, body, headers = request(address, **q)
        except http.client.HTTPException as e:
            raise AssertionError(str(q)[:300]) from e
        q['body'] = (q.get('body') or b'')[:40]
        assert got == status, (q, got, body)
        if q['method'] != 'HEAD':
            assert len(json.loads(body)['error']) > 10, (q, body)


def case_headers(address):
    """Nothing is loaded from elsewhere, nothing is kept, no other page may frame it."""
    _, _, headers = request(address, 'GET', '/', token='')
    policy = headers['content-security-policy']
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy, policy
    assert 'http' not in policy and '*' not in policy, policy
    script = re.search(r'script-src ([^;]*);', policy)[1]
    assert re.fullmatch(r"'none'|'sha256-[A-Za-z0-9+/]{43}='", script), script
    assert headers['x-content-type-options'] == 'nosniff'
    assert headers['cache-control'] == 'no-store'


def case_keep(address):
    """Requests one after the other on one connection."""
    c = http.client.HTTPConnection(address.host, address.port, timeout=PATIENCE)
    c.sock = address.connect()
    kept = c.sock
    for i in range(20):
        c.request('POST' if i % 2 else 'GET', '/api/ask' if i % 2 else '/metrics', b'' if i % 2 else None,
                  {'Authorization': 'Bearer ' + address.token})
        answer = c.getresponse()
        body = answer.read()
        assert answer.status == 200 and body, (i, answer.status)
        assert c.sock is kept, 'closed after request %d' % i


def case_metrics(address):
    status, body, headers = request(address, 'GET', '/metrics')
    assert status == 200 and headers['content-type'].startswith('text/plain; version=0.0.4')
    known = {}
    for line in body.decode().splitlines():
        if line.startswith('#'):
            assert re.fullmatch(r'# (HELP [a-z_]+ .+|TYPE [a-z_]+ (counter|gauge|summary))', line)
            continue
        found = re.fullmatch(r'([a-z_]+(?:\{[^}]*\})?) ([0-9.e+-]+)', line)
        assert found, line
        known[found[1]] = float(found[2])
    assert known['sonde_samples_total'] > 0
    assert known['process_cpu_seconds_total'] > 0


def case_watch(address, place):
    """A place is watched, its calls are counted; then no more, and what was seen stays."""
    before = verb(address, 'ask')
    probe = verb(address, 'watch', place=place, yes=True)['probe']
    end = time.monotonic() + PATIENCE
    calls = 0
    while calls < 50:
        assert time.monotonic() < end, calls
        time.sleep(0.1)
        spans = [s for s in verb(address, 'ask')['spans'] if s['probe'] == probe]
        calls = spans[0]['calls'] if spans else 0
    verb(address, 'unwatch', probe=probe)
    time.sleep(0.5)
    spans = [s for s in verb(address, 'ask')['spans'] if s['probe'] == probe]
    assert spans[0]['removed'] and spans[0]['place'] == place, spans
    assert spans[0]['calls'] == sum(spans[0]['ended'].values()) and spans[0]['open'] == 0, spans
    time.sleep(0.5)
    after = [s for s in verb(address, 'ask')['spans'] if s['probe'] == probe]
    assert after[0]['calls'] == spans[0]['calls'], (after, spans)
    assert len(before['spans']) + 1 == len(verb(address, 'ask')['spans'])
    status, body, _ = request(address, 'POST', '/api/unwatch',
                              json.dumps({'probe': probe}).encode())
    assert 400 <= status < 500 and json.loads(body)['error'], (status, body)


def case_find(address, text, place, whole):
    """A part of a name finds it, with what watching it takes; a pattern finds all."""
    found = verb(address, 'find', text=text)
    assert found['fit'] >= 1 and not found['cut'] and not found['pattern'], found
    row = found['rows'][0]
    assert row['place'] == place and row['main'] and row['price_ns'] > 0 and row['exit'], row
    first = verb(address, 'find', text='', first=place + '\nno_such_function')
    assert [r['place'] for r in first['rows']] == [place], first
    library = verb(address, 'find', text='libc:getpid')['rows'][0]
    assert library['name'] == 'libc:getpid' and not library['main'], library
    many = verb(address, 'find', text=whole, most=7)
    assert many['pattern'] and len(many['rows']) == 7 < many['fit'], many
    assert not verb(address, 'find', text='no such function')['rows']
    for wrong in ('/(/', 'a*+4'):
        status, body, _ = request(address, 'POST', '/api/find', json.dumps({'text': wrong}).encode())
        assert status == 400 and json.loads(body)['error'], (status, body)
    page = Page(address)
    for typed in range(1, len(text) + 1):
        reply = page.ask({'verb': 'find', 'arguments': {'text': text[:typed]}}, typed)
        assert reply['reply']['fit'], reply


def case_refused(address, status, name, arguments, says):
    got, body, _ = request(address, 'POST', '/api/' + name, arguments.encode())
    assert got == int(status) and says in json.loads(body)['error'], (got, body)


def case_draws(address, name):
    """The tree comes, has that name, and grows; what it has is what an answer has."""
    page = Page(address)
    assert page.open
    page.until(lambda p: name in p.names())
    samples = page.scene['picture']['samples']
    page.until(lambda p: p.scene['picture']['samples'] > samples)
    for number, (parent, frame, _) in enumerate(page.nodes):
        assert parent < number or number == 0
        assert frame < len(page.frames)
    told = sum(page.self_nsec.values())
    period = page.scene['picture']['period_ns']
    said = page.scene['picture']['samples'] * period
    assert 0.5 * said < told < 1.01 * said, (told, said)


def case_shows(address):
    page = Page(address)
    page.until(lambda p: p.scene['picture']['spans'])
    assert page.ask({'show': {'split': 'dur > p95'}}) == {'id': 7, 'reply': {}}
    page.until(lambda p: p.scene['picture']['split']['expr'] == 'dur > p95')
    wrong = page.ask({'show': {'split': 'dur > banana'}}, 8)
    assert 'banana' in wrong['error'], wrong
    page.until(lambda p: p.scene['picture']['split']['expr'] == 'dur > p95')
    assert 'no verb' in page.ask({'verb': 'fly'}, 9)['error']
    reply = page.ask({'verb': 'ask', 'arguments': {'split': 'dur > 1us'}}, 10)['reply']
    assert reply['split']['expr'] == 'dur > 1us'


def case_waits(address):
    """Nothing new is sent before the last was drawn, nor while nobody looks."""
    page = Page(address)
    assert page.message() is not None  # and is not said to be drawn
    assert page.message(2) is None
    page.send({'hidden': True})
    page.send({'drawn': 1})
    assert page.message(2) is None
    page.send({'hidden': False})
    assert page.next_drawing() is not None


def case_strangers(address):
    """Pages that are not let in."""
    for arguments in (dict(token=''), dict(token='0' * 32), dict(origin='http://evil.example')):
        assert not Page(address, **arguments).open, arguments


def case_nonsense(address):
    """What is no message costs the page that sends it nothing but a sentence."""
    page = Page(address)
    for m in (b'', b'{', b'[1]', b'{}', b'\xff\xff', b'{"drawn": 99}', b'{"drawn": -1}', b'[' * 60000,
              b'{"verb": 3}', b'{"show": 3}', b'{"id": "x", "verb": "ask"}', b'"' + b'x' * 60000):
        page.send(m)
    assert page.next_drawing() is not None
    page.send(b'x' * 70000)  # and this one the connection
    try:
        while page.message() is not None:
            pass
        raise AssertionError('still open')
    except EOFError:
        pass
    assert request(address, 'GET', '/api/verbs')[0] == 200


def case_broken(address):
    """Connections that stop in the middle."""
    for part in (b'', b'G', b'GET / HTTP/1.1\r\n', b'GET / HTTP/1.1\r\nHost: ' + b'x' * 100000,
                 b'POST /api/ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{',
                 b'POST /api/ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n{',
                 b'\x16\x03\x01\x02\x00' + os.urandom(500), b'\r\n' * 1000, b'\0' * 4000):
        s = address.connect()
        try:
            s.sendall(part)
            s.settimeout(0.1)
            s.recv(10)
        except (socket.timeout, ConnectionError):
            pass
        s.close()
    assert request(address, 'GET', '/api/verbs')[0] == 200


def case_many(address, count):
    """So many pages at once, one of which reads nothing."""
    lazy = Page(address)
    lazy.send({'show': {}})
    pages = [Page(address) for _ in range(int(count))]
    for _ in range(3):
        for page in pages:
            assert page.next_drawing() is not None
    assert len({page.scene['picture']['target']['comm'] for page in pages}) == 1


def case_sampled(address):
    """The target has been seen at work."""
    end = time.monotonic() + PATIENCE
    while not verb(address, 'ask')['samples']:
        assert time.monotonic() < end
        time.sleep(0.05)


def case_ended(address):
    """The target is gone, the page stays."""
    page = Page(address)
    page.until(lambda p: not p.scene['live'])
    assert page.scene['picture']['samples'] > 0
    assert verb(address, 'ask')['samples'] > 0
    assert page.ask({'show': {'split': 'dur > p50'}})['reply'] == {}
    page.until(lambda p: p.scene['picture']['split']['expr'] == 'dur > p50')


def case_hello(address):
    assert verb(address, 'ask')['hz'] > 0


if __name__ == '__main__':
    globals()['case_' + sys.argv[2]](Address(sys.argv[1]), *sys.argv[3:])
