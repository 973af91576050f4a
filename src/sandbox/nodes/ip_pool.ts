/**
 * Hands out the addresses of one network, each to one holder at a time.
 *
 * Contract:
 * 1. A holder that asks again gets the address it has.
 * 2. No address is given to two holders, unless all are taken.
 * 3. An address that was given back is used again only after the others were.
 *
 * @example
 * ```ts
 * import { IpPool } from "./ip_pool.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const pool = new IpPool("10.244.3.0/24");
 * assertEquals([pool.take("a"), pool.take("b"), pool.take("a")], ["10.244.3.2", "10.244.3.3", "10.244.3.2"]);
 * ```
 */
export class IpPool {
  readonly #prefix: bigint;
  readonly #isV6: boolean;
  readonly #first: number;
  readonly #size: number;
  readonly #byHolder = new Map<string, string>();
  readonly #taken = new Set<string>();
  #next = 0;

  /**
   * @param cidr The network, IPv4 or IPv6. Of an IPv6 network the first 2^31 addresses are used.
   * @param options.first The first host number that is given out; 1 belongs to the node's bridge by default.
   * @throws {TypeError} If it is no network.
   */
  constructor(cidr: string, { first = 2 }: { first?: number } = {}) {
    const [address, bits] = cidr.split("/");
    this.#isV6 = address.includes(":");
    const width = this.#isV6 ? 128 : 32;
    const hostBits = width - Number(bits);
    if (!/^\d+$/.test(bits ?? "") || hostBits < 0) {
      throw new TypeError(`Cannot use ${cidr} as a network of pods: it has no length`);
    }
    const hosts = BigInt(hostBits);
    this.#prefix = ((this.#isV6 ? parseV6(address) : parseV4(address)) >> hosts) << hosts;
    this.#size = 2 ** Math.min(hostBits, 31);
    this.#first = first < this.#size ? first : 0;
  }

  /** The holder's address. */
  take(holder: string): string {
    const held = this.#byHolder.get(holder);
    if (held) return held;
    const usable = Math.max(1, this.#size - this.#first - (this.#isV6 || this.#size <= 2 ? 0 : 1));
    let address = "";
    for (let tries = 0; tries < Math.min(usable, this.#taken.size + 1); tries++) {
      address = this.#format(this.#first + this.#next);
      this.#next = (this.#next + 1) % usable;
      if (!this.#taken.has(address)) break;
    }
    this.keep(holder, address);
    return address;
  }

  /** Notes that the holder has this address already. */
  keep(holder: string, address: string): void {
    this.#byHolder.set(holder, address);
    this.#taken.add(address);
  }

  giveBack(holder: string): void {
    const address = this.#byHolder.get(holder);
    if (address === undefined) return;
    this.#byHolder.delete(holder);
    this.#taken.delete(address);
  }

  #format(host: number): string {
    const value = this.#prefix + BigInt(host);
    return this.#isV6 ? formatV6(value) : formatV4(value);
  }
}

function parseV4(text: string): bigint {
  const parts = text.split(".").map(Number);
  if (parts.length !== 4 || parts.some((part) => !(part >= 0 && part <= 255))) {
    throw new TypeError(`Cannot use ${text} as an address: it is not four numbers`);
  }
  return parts.reduce((value, part) => value * 256n + BigInt(part), 0n);
}

function formatV4(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String(value >> shift & 255n)).join(".");
}

function parseV6(text: string): bigint {
  const [head, tail = ""] = text.split("::");
  const left = head ? head.split(":") : [];
  const right = tail ? tail.split(":") : [];
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0");
  const groups = [...left, ...zeros, ...right];
  if (groups.length !== 8 || groups.some((group) => !/^[0-9a-fA-F]{1,4}$/.test(group))) {
    throw new TypeError(`Cannot use ${text} as an address: it is not eight groups`);
  }
  return groups.reduce((value, group) => value * 65536n + BigInt(`0x${group}`), 0n);
}

/** The longest run of zero groups is left out, as RFC 5952 has it. */
function formatV6(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => (value >> BigInt(112 - 16 * i) & 65535n).toString(16));
  let [start, length] = [0, 1];
  for (let at = 0; at < groups.length; at++) {
    let end = at;
    while (groups[end] === "0") end++;
    if (end - at > length) [start, length] = [at, end - at];
  }
  if (length === 1) return groups.join(":");
  return `${groups.slice(0, start).join(":")}::${groups.slice(start + length).join(":")}`;
}
