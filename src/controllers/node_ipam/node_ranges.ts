import type { Node } from "../../api/mod.ts";
import { type BlockRange, type Cidr, cidrText, overlap, parseCidr } from "../address_ranges/mod.ts";
import { errorText, type TurnBudget } from "../../base/mod.ts";
import { CidrPool, PoolExhaustedError } from "./cidr_pool.ts";

/** The ranges that a node has, or will get. */
interface Holding {
  /** One of each pool, in their order; fewer if the node has fewer. */
  readonly blocks: readonly BlockRange[];
  /** Ranges that were proposed to the API server but do not show in the node yet. */
  readonly proposed?: readonly string[];
}

/**
 * Which node has which blocks of the cluster's ranges.
 *
 * Contract:
 * 1. A block that a node has, that is proposed for one, or that Services have is proposed for no other node.
 * 2. What a node has counts once, however often it is seen.
 * 3. A node that goes frees what nobody else has.
 * 4. The proposal for a node stays the same until the node shows its ranges, the proposal is withdrawn, or the node
 *    goes.
 * 5. If one range has no block left, a proposal takes none of the others.
 * 6. A node's ranges count up to the first invalid one.
 * 7. A node that goes while the nodes are being listed has nothing afterwards, even if the list shows it.
 *
 * Upstream: `pkg/controller/nodeipam/ipam/range_allocator.go`, which frees a node's blocks whoever else has them.
 */
export class NodeRanges {
  readonly #pools: readonly CidrPool[];
  readonly #holdings = new Map<string, Holding>();
  #goneWhileListing: Set<string> | undefined;

  /** @param pools In the order of a node's ranges. */
  constructor(pools: readonly CidrPool[]) {
    this.#pools = pools;
  }

  /** How many nodes have something. */
  get size(): number {
    return this.#holdings.size;
  }

  /** Reserves the Services' range. */
  reserve(services: Cidr): void {
    for (const pool of this.#pools) {
      if (overlap(pool.range.whole, services)) pool.hold(pool.range.blocksOf(services));
    }
  }

  /**
   * Occupies the ranges of the nodes that `list` returns.
   *
   * @throws {Error} That of `list`, or by {@link occupy}: then nothing may be proposed.
   */
  async fill(list: () => Promise<readonly Node[]>, budget: TurnBudget): Promise<void> {
    const gone = this.#goneWhileListing = new Set();
    for (const node of await list()) {
      if (budget.spent) await budget.nextTurn();
      if (!gone.has(keyOf(node))) this.occupy(node);
    }
    this.#goneWhileListing = undefined;
  }

  /**
   * Occupies the ranges in a node's spec, replacing what it had or was to get.
   *
   * @throws {Error} If a range is invalid, or not from the corresponding pool.
   */
  occupy(node: Node): void {
    const blocks: BlockRange[] = [];
    let failure: unknown;
    try {
      for (const [i, text] of (node.spec?.podCIDRs ?? []).entries()) blocks.push(this.#blocksOf(node, i, text));
    } catch (error) {
      failure = error;
    }
    this.#replace(keyOf(node), blocks.length > 0 ? { blocks } : undefined);
    if (failure) throw failure;
  }

  /**
   * Proposes ranges for a node without any, one of each pool.
   *
   * @throws {Error} If a pool has nothing left.
   */
  propose(node: Node): readonly string[] {
    const before = this.#holdings.get(keyOf(node))?.proposed;
    if (before) return before;
    const blocks: BlockRange[] = [];
    const proposed: string[] = [];
    try {
      for (const pool of this.#pools) {
        const index = pool.allocate();
        blocks.push({ first: index, last: index });
        proposed.push(cidrText(pool.range.block(index)));
      }
    } catch (error) {
      this.#release(blocks);
      if (!(error instanceof PoolExhaustedError)) throw error;
      throw new Error(`failed to allocate cidr from cluster cidr at idx:${blocks.length}: ${error.message}`, {
        cause: error,
      });
    }
    this.#holdings.set(keyOf(node), { blocks, proposed });
    return proposed;
  }

  /** Frees what was proposed for a node that will not get it. */
  withdraw(node: Node): void {
    if (this.#holdings.get(keyOf(node))?.proposed) this.#replace(keyOf(node), undefined);
  }

  /** Frees what a node had that is gone. */
  forget(node: Node): void {
    this.#goneWhileListing?.add(keyOf(node));
    this.#replace(keyOf(node), undefined);
  }

  #replace(key: string, holding: Holding | undefined): void {
    const before = this.#holdings.get(key);
    // The new ones first, so that kept ones do not count as freed.
    for (const [i, range] of holding?.blocks.entries() ?? []) this.#pools[i].hold(range);
    this.#release(before?.blocks ?? []);
    if (holding) this.#holdings.set(key, holding);
    else this.#holdings.delete(key);
  }

  #release(blocks: readonly BlockRange[]): void {
    for (const [i, range] of blocks.entries()) this.#pools[i].release(range);
  }

  #blocksOf({ metadata }: Node, index: number, text: string): BlockRange {
    const name = metadata?.name;
    let cidr: Cidr;
    try {
      cidr = parseCidr(text);
    } catch (cause) {
      throw new Error(`failed to parse node ${name}, CIDR ${text}`, { cause });
    }
    if (index >= this.#pools.length) {
      throw new Error(
        `node:${name} has an allocated cidr: ${text} at index:${index} that does not exist in cluster cidrs configuration`,
      );
    }
    try {
      return this.#pools[index].range.blocksOf(cidr);
    } catch (cause) {
      const what = `cidr[${cidrText(cidr)}] at idx [${index}]`;
      throw new Error(`failed to mark ${what} as occupied for node: ${name}: ${errorText(cause)}`, { cause });
    }
  }
}

/** A recreated node of the same name has a different key. */
function keyOf({ metadata }: Node): string {
  return metadata?.uid || metadata?.name || "";
}
