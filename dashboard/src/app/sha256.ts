/**
 * SHA-256 (FIPS 180-4), for pages that came by plain HTTP from another machine: there browsers have
 * no `crypto.subtle`. For short texts.
 */
export function sha256(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const hash = Uint32Array.from(firstPrimes(8), (prime) => fractionOf(Math.sqrt(prime)));
  const blocks = padded(message);
  for (let at = 0; at < blocks.byteLength; at += 64) addBlock(hash, blocks, at);
  const result = new DataView(new ArrayBuffer(32));
  for (const [index, word] of hash.entries()) result.setUint32(index * 4, word);
  return new Uint8Array(result.buffer);
}

/** The message, a 1, zeros, and its length in bits: a multiple of 64 bytes. */
function padded(message: Uint8Array): DataView {
  const bytes = new Uint8Array(Math.ceil((message.length + 9) / 64) * 64);
  bytes.set(message);
  bytes[message.length] = 0x80;
  const view = new DataView(bytes.buffer);
  view.setUint32(bytes.length - 8, Math.floor(message.length / 2 ** 29));
  view.setUint32(bytes.length - 4, message.length << 3);
  return view;
}

function addBlock(hash: Uint32Array, blocks: DataView, at: number) {
  const words = scheduleOf(blocks, at);
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
  for (const [round, word] of words.entries()) {
    const choice = (e & f) ^ (~e & g);
    const first = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + choice + (constants[round] ?? 0);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority;
    [h, g, f, e, d, c, b] = [g, f, e, (d + first + word) | 0, c, b, a];
    a = (first + word + second) | 0;
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) {
    hash[index] = (hash[index] ?? 0) + value;
  }
}

/** The 16 words of a block, and 48 made from them. */
function scheduleOf(blocks: DataView, at: number): Uint32Array {
  const words = new Uint32Array(64);
  const word = (index: number) => words[index] ?? 0;
  for (let index = 0; index < 16; index++) words[index] = blocks.getUint32(at + index * 4);
  for (let index = 16; index < 64; index++) {
    const [early, late] = [word(index - 15), word(index - 2)];
    const small = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
    const large = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
    words[index] = word(index - 16) + small + word(index - 7) + large;
  }
  return words;
}

const turn = (word: number, by: number) => (word >>> by) | (word << (32 - by));

const fractionOf = (value: number) => (value % 1) * 2 ** 32;

const constants = Uint32Array.from(firstPrimes(64), (prime) => fractionOf(Math.cbrt(prime)));

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let value = 2; primes.length < count; value++) {
    if (primes.every((prime) => value % prime !== 0)) primes.push(value);
  }
  return primes;
}
