/**
 * The words that lists of leaked passwords are made of, by how often they come up there: the list is ours, short, and read with the
 * rules below, which find what people make of such a word. NIST SP 800-63B section 3.1.1.2 asks for this and forbids rules of composition.
 */
const WORDS = new Set(`
  abc admin administrator amanda america andrea andrew angel animal anthony apple arsenal ashley asdf asdfgh asdfghjkl asdfjkl austin azerty
  babygirl bailey banana barcelona baseball basketball batman beautiful biteme blink booboo bonjour boomer brandon brasil buster butterfly
  celtic changeme charlie cheese chelsea chocolate computer cookie cowboy dallas daniel default demo dolphin donald doudou dragon eagle eminem
  everton family ferrari flower football forever freedom friend friends fuckyou fuckoff gateway george ginger google guest guitar hallo hammer
  hannah harley hello hockey hotmail hunter iloveu iloveyou internet jackson jasmine jennifer jessica jesus jesuschrist jordan joshua justin
  killer kitten knight letmein liverpool login london looking love lovely loveme lover loveyou lovers maggie manchester marina marlboro martin
  master matrix matthew maverick melissa mercedes merlin michael michelle midnight monica monkey monster motdepasse mustang mynoob naruto nicole
  ninja nothing orange pakistan pass passe passw passwd passwor password passwort peanut pepper phoenix picture please pokemon princess private
  purple qazwsx qazwsxedc qwer qwert qwertz qwerty qwertyuiop rainbow ranger reallove realmadrid richard robert root rosebud samantha samsung
  scooter secret secure secrets shadow silver simple slayer slipknot snoopy soccer sparky spiderman spring starwars stella steven success
  summer sunshine superman superstar system taylor temp temporary tennis test teste tester testing thomas thunder thursday tigger tinkerbell
  trustno twinyard twilight unknown user valentina vanessa victoria victory welcome whatever william winner winter xxx yankees yellow zaq
  zaqwsx zxcvbn zxcvbnm passphrase building factory digital twin digitaltwin monday tuesday wednesday friday saturday sunday january february
  march april june july august september october november december autumn
`.split(/\s+/).filter((word) => word !== ''));

/** What a finger runs along: of these, read in either direction, any piece is as good as no password. */
const RUNS = ['abcdefghijklmnopqrstuvwxyz', '01234567890123456789', 'qwertyuiopasdfghjklzxcvbnm', 'qwertzuiopasdfghjklyxcvbnm', 'azertyuiopqsdfghjklmwxcvbn', '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p', '1q2w3e4r5t6y7u8i9o0p', 'q1w2e3r4t5y6u7i8o9p0', 'a1b2c3d4e5f6g7h8i9j0'];
const LETTERS: Readonly<Record<string, string>> = { '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', $: 's', '!': 'i', '+': 't', '8': 'b' };

/** Whether a password is one that guessers try first: a common word with its usual trimmings, a run of keys, or one thing said again. */
export function isCommonPassword(password: string): boolean {
  const text = password.toLowerCase();
  return isWord(text) || isRun(text) || isRepetition(text);
}

/** `P@ssw0rd123!` is `password`: letters drawn as signs, and digits and signs put before or behind. */
function isWord(text: string): boolean {
  const bare = text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  return [text, bare, readAsLetters(bare), trimmed(readAsLetters(text)), readAsLetters(text.replace(/[\d\W_]+$/u, ''))].some((word) => WORDS.has(word) || isWordTwice(word));
}

const readAsLetters = (text: string) => text.replace(/[013457@$!+8]/g, (sign) => LETTERS[sign] ?? sign);
const trimmed = (text: string) => text.replace(/[^\p{L}]+/gu, '');
const isWordTwice = (text: string) => text.length % 2 === 0 && text.slice(0, text.length / 2) === text.slice(text.length / 2) && WORDS.has(text.slice(0, text.length / 2));

function isRun(text: string): boolean {
  const backwards = [...text].reverse().join('');
  return RUNS.some((run) => run.includes(text) || run.includes(backwards));
}

/** `aaaaaaaa`, `12121212`, `abcabcabc`: up to four characters again and again. */
const isRepetition = (text: string) => /^(.{1,4}?)\1+.{0,3}$/u.test(text) && new Set(text).size <= 4;
