// Ways to write an address that must not be reached: each names a listener on this machine, or another place that
// customers have no business with. All fields that take addresses are tried with all of them.

/** What the names below resolve to. A name that is not here does not exist. */
export const hostileNames: Readonly<Record<string, readonly string[]>> = {
  'loopback.example': ['127.0.0.1'],
  'loopback6.example': ['::1'],
  'mixed.example': ['93.184.216.34', '127.0.0.1'],
  'mixed6.example': ['2606:2800:220:1::1', '::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'compatible.example': ['::127.0.0.1'],
  'nat64.example': ['64:ff9b::7f00:1'],
  'sixtofour.example': ['2002:7f00:1::'],
  'zero.example': ['0.0.0.0'],
  'zero6.example': ['::'],
  'metadata.example': ['169.254.169.254'],
  'private.example': ['10.0.0.1'],
  'carrier.example': ['100.64.0.1'],
  'xn--lcal-5qa.example': ['127.0.0.1'],
};

const LOOPBACK_HOSTS = [
  ...['127.0.0.1', '127.1', '127.0.1', '127.0.0.1.', '127.255.255.254', '127.0.0.2', '127.000.000.001'],
  ...['2130706433', '2130706433.', '0x7f000001', '0X7F000001', '0x7f.1', '0x7f.0.0.1', '0x7f.0x0.0x0.0x1'],
  ...['017700000001', '0177.0.0.1', '0177.1', '0177.0.0.01', '0x7f.0.1', '127.0x0.1'],
  ...['0', '0.0.0.0', '0x0', '00.0', '0.0', '000.000.000.000'],
  ...['１２７.０.０.１', '①②⑦.⓪.⓪.①', '127。0。0。1', '127．0．0．1', '127｡0｡0｡1', '１２７。１'],
  ...['%31%32%37.0.0.1', '127%2e0%2e0%2e1', '%30x7f000001', '127.0.0.%31'],
  ...['localhost', 'LOCALHOST', 'LocalHost', 'localhost.', 'localhost..', 'sub.localhost', 'a.b.localhost.'],
  ...['ｌｏｃａｌｈｏｓｔ', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', 'loc%61lhost', 'localhost%2e', 'local\u00adhost'],
  ...['localhost.localdomain', 'ip6-localhost', 'localhost6', 'gateway', 'metadata', 'redis'],
  ...['[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::]', '[0::0]', '[::0.0.0.1]'],
  ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:127.0.0.1]', '[::FFFF:127.0.0.1]', '[::ffff:0.0.0.0]'],
  ...['[::127.0.0.1]', '[::7f00:1]', '[::ffff:0:127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b:1::7f00:1]'],
  ...['[2002:7f00:1::]', '[2002:7f00:0001::1]', '[2001:0:7f00:1::]', '[2001::7f00:1]'],
  ...Object.keys(hostileNames),
];

const OTHER_HOSTS = [
  ...['169.254.169.254', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.43518', '169.254.170.2'],
  ...['[::ffff:169.254.169.254]', '[::a9fe:a9fe]', '[2002:a9fe:a9fe::]', '[64:ff9b::a9fe:a9fe]', '[fd00:ec2::254]'],
  ...['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '100.64.0.1', '100.100.100.200'],
  ...['168.63.129.16', '192.0.0.192', '192.0.2.1', '192.88.99.1', '198.18.0.1', '198.51.100.1', '203.0.113.1'],
  ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
  ...['[fe80::1]', '[febf::1]', '[fec0::1]', '[feff::1]', '[fc00::1]', '[fdff::1]', '[ff02::1]', '[ff0e::1]'],
  ...['[2001:db8::1]', '[3fff::1]', '[100::1]', '[2001:2::1]', '[2001:20::1]', '[5f00::1]', '[4000::1]'],
  ...['metadata.google.internal', 'db.internal.', 'printer.local', 'router.lan', 'nas.home', 'box.home.arpa'],
  ...['wiki.corp', 'app.intranet', 'vault.private', 'host.localdomain'],
];

/** Whole texts, where the host is not what the trick is about. */
const TEXTS = (port: number): readonly string[] => [
  `http://user@127.0.0.1:${port}/v1`,
  `http://user:password@public.example:${port}/v1`,
  `http://public.example@127.0.0.1:${port}/v1`,
  `http://public.example:80@127.0.0.1:${port}/v1`,
  `http://127.0.0.1:${port}#@public.example/v1`,
  `http://127.0.0.1:${port}\\@public.example/v1`,
  `http://public.example\\@127.0.0.1:${port}/v1`,
  `http:\\\\127.0.0.1:${port}\\v1`,
  `http:/127.0.0.1:${port}/v1`,
  `http:127.0.0.1:${port}/v1`,
  `http:///127.0.0.1:${port}/v1`,
  `hTTp://127.0.0.1:${port}/v1`,
  ` http://127.0.0.1:${port}/v1`,
  `http://127.0.0.1:${port}/v1\n`,
  `ht\ttp://127.0.0.1:${port}/v1`,
  `http://127.0.0\u00001:${port}/v1`,
  `//127.0.0.1:${port}/v1`,
  `127.0.0.1:${port}/v1`,
  `ftp://127.0.0.1:${port}/v1`,
  `ws://127.0.0.1:${port}/v1`,
  `gopher://127.0.0.1:${port}/_x`,
  `http+unix://127.0.0.1:${port}/v1`,
  `dict://127.0.0.1:${port}/v1`,
  'file:///etc/passwd',
  'data:application/json,{}',
  'javascript:alert(1)',
  'http://',
  'http://public.example:22/v1',
  'http://public.example:25/v1',
  'https://public.example:1023/v1',
  'https://public.example/v1#fragment',
  `https://public.example/${'a'.repeat(2_048)}`,
];

export function hostileSpellings(port: number): readonly string[] {
  const hosts = [...LOOPBACK_HOSTS, ...OTHER_HOSTS].map((host) => `http://${host}:${port}/v1`);
  return [...hosts, ...TEXTS(port)];
}
