// Regular expressions that are known to take backtracking engines for ever: validators that were published and
// withdrawn, and every shape of nested or overlapping repetition over the usual atoms.

/** Of mail addresses, URLs, HTML, CSS, numbers, versions, dates and headers, as found in advisories. */
const PUBLISHED = String.raw`
(a+)+$
([a-zA-Z]+)*$
(a|aa)+$
(a|a?)+$
(.*a){20}$
(x+x+)+y
^(a+)+$
^([a-z0-9]+)*@
^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$
^(([a-z])+.)+[A-Z]([a-z])+$
^[\w\.-]+@([\w\-]+\.)+[a-z]{2,4}$
^\w+([-+.']\w+)*@\w+([-.]\w+)*\.\w+([-.]\w+)*$
([\w-]+\.)+[\w-]+(\/[\w- .\/?%&=]*)?
^(https?:\/\/)?([\da-z\.-]+)\.([a-z\.]{2,6})([\/\w \.-]*)*\/?$
(\w+\.)*\w+$
(?:\s*,\s*)*$
\s+$
^\s+|\s+$
<([a-z]+)([^<]+)*(?:>(.*)<\/\1>|\s+\/>)
<!--[\s\S]*?-->
(<[^>]*>)+$
^((\w+\s?)+)$
(\d+)*$
^(\d+)+$
^(\d+,?)+$
^\d+(\.\d+)*$
^(\+|-)?(\d+)?(\.\d+)*$
^(?:[0-9]+\.?)+$
(a*)*b
(a*)+b
(a+)*b
(a?)*b
(a|b|ab)*c
(aa|aab?)*c
([ab]*)*c
(ab|a|b)*c
(\w*)*!
(\w+)*!
(\s*\w+\s*)*;
(\w+\s*)+;
(\w+:?)+;
(.+)+;
(.*)*;
(.+.+)+;
(.*,)*;
(.*)+x.*y
"(\\.|[^"])*"
'(\\.|[^'])*'
"([^"\\]*(\\.[^"\\]*)*)*"
/\*(.|\n)*?\*/
/\*([^*]|\*+[^*/])*\*+/
(//.*|/\*[\s\S]*\*/)+
^(?:(?:a|b)+)+$
^(?:a{0,10}){0,10}$
^(a{1,20}){1,20}$
(a{2,5})+b
(a{1,3}){1,3}{1,3}b
([a-c]+)+d
([^;]+)+;
([^=]+=[^&]*&?)+$
^([^ ]+ ?)*$
^(.*?,){11}P
^(.*?;){8}x
(.*?,){20}z
^(([^<>()\[\]\.,;:\s@"]+(\.[^<>()\[\]\.,;:\s@"]+)*)|(".+"))@
^((25[0-5]|2[0-4]\d|1?\d?\d)(\.|$))+x
^([0-9a-fA-F]{1,4}:?)+x
(?:[0-9a-f]{2}:?)+z
^#([a-f0-9]+)+;
rgba?\((\s*\d+\s*,?)+\)x
^\s*(?:\d+\s*)+(?:px|em)$
^(?:\w+-?)+\.js$
^v?(\d+\.?)+(-\w+\.?)*$
^[~^]?(\d+\.)*\d+x$
(=+)+>
(-+)+>
^(-|\+|\*)+\s+x
(\[[^\]]*\])+\(x
!?\[(?:\[[^\]]*\]|[^\[\]])*\]\(x
^(#+)+\s*x
(\*\*?[^*]+\*\*?)+_
(_+[^_]+_+)+x
^(>\s?)+x
^(?:\|[^|]*)+\|x
(?:\r?\n|\r)+x
(\n|\r\n|\s)+x
^(\s|\t)*x
Mozilla.*(compatible.*)*MSIE
(?:Android.*)+Build
(\/[^\/]+)+\/x
^(?:\.\.?\/)+x
([^\/]*\/)*x
(%[0-9a-f]{2})+x
^(?:[^:]+:)+\/\/x
^(\w+=\w+;?)+$x
^charset=(\w+-?)+;
^multipart\/.*boundary=(.*)+;
^(?:\s*[^,]+\s*,?)+;q
^Basic\s+([A-Za-z0-9+/=]+)+x
(?:eyJ[\w-]+\.?)+x
`
  .split('\n')
  .filter((line) => line !== '');

const ATOMS = ['a', '\\w', '[a-z]', '.', '[^!]', '\\S', '(?:a|b)', '[ab]'];

/** The atom stands where an A is. */
const SHAPES = [
  '(A+)+!',
  '(A*)*!',
  '(A|A)+!',
  '(A+A+)+!',
  '(A+)*!',
  '^(A+)+!$',
  '(A?){25}A{25}!',
  '(A{1,9}){1,9}!',
  '((A+)+)+!',
  '(A+,?)+!',
  '(A|A?)+!',
  '(A*A)*!',
  '(?:(A+)|(A+))+!',
];

export const SLOW_PATTERNS: readonly string[] = [
  ...new Set([...PUBLISHED, ...SHAPES.flatMap((shape) => ATOMS.map((atom) => shape.replaceAll('A', atom)))]),
];
