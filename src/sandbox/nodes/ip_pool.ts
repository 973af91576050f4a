import ipaddr from "ipaddr.js";

/**
 * Assigns the addresses of a network, each to one holder at a time.
 *
 * Contract:
 * 1. A holder that asks again gets the address it has.
 * 2. No address is assigned to two holders, unless all are taken.
 * 3. A released address is reused only after all others.
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
   * @param cidr The network, IPv4 or IPv6. Only the first 2^31 addresses of an IPv6 network are used.
   * @param options.first The first host number to assign; by default 1 belongs to the node's bridge.
   * @throws {TypeError} If it is not a network.
   */
  constructor(cidr: string, { first = 2 }: { first?: number } = {}) {
    if (!ipaddr.IPv4.isValidCIDRFourPartDecimal(cidr) && !ipaddr.IPv6.isValidCIDR(cidr)) {
      throw new TypeError(`Cannot use ${cidr} as the pods' network: it is not a CIDR`);
    }
    const [address, bits] = ipaddr.parseCIDR(cidr);
    const bytes = address.toByteArray();
    this.#isV6 = address.kind() === "ipv6";
    const hostBits = bytes.length * 8 - bits;
    const hosts = BigInt(hostBits);
    this.#prefix = (bytes.reduce((value, byte) => value << 8n | BigInt(byte), 0n) >> hosts) << hosts;
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

  /** The holder's present address, if any. */
  heldBy(holder: string): string | undefined {
    return this.#byHolder.get(holder);
  }

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
    const length = this.#isV6 ? 16 : 4;
    const bytes = Array.from({ length }, (_, i) => Number(value >> BigInt(8 * (length - 1 - i)) & 255n));
    return ipaddr.fromByteArray(bytes).toString();
  }
}
