import {
  isDns1123Label,
  isDns1123Subdomain,
  labelKeyErrors,
  type LabelSelector,
  labelValueErrors,
  selectorOf,
} from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";
import { CloudConfigError, readConfigDocument } from "../config_document.ts";
import type { CloudConfigFile } from "../factory.ts";
import type { ObjectSchema } from "../schema.ts";
import { type AddressRange, parseAddress, parseRange } from "./address.ts";
import type { Machine } from "./inventory.ts";
import { byFirst, type Pool, PoolIndex, type PoolRange, type Sharing } from "./pools.ts";

/** The parsed configuration. */
export interface IpPoolConfig {
  readonly pools: readonly Pool[];
  /** By name; absent if there is no inventory. */
  readonly machines?: ReadonlyMap<string, Machine>;
}

const NAME = { type: "string", minLength: 1, maxLength: 253 } as const;
const LABELS = { type: "object", additionalProperties: { type: "string" }, maxProperties: 100 } as const;

const POOL: ObjectSchema = {
  type: "object",
  properties: {
    name: NAME,
    addresses: { type: "array", items: NAME, minItems: 1, maxItems: 10_000 },
    autoAssign: { type: "boolean" },
    namespaces: { type: "array", items: NAME, minItems: 1, maxItems: 10_000 },
    serviceSelector: {
      type: "object",
      properties: {
        matchLabels: LABELS,
        matchExpressions: {
          type: "array",
          items: {
            type: "object",
            properties: {
              key: NAME,
              operator: { type: "string" },
              values: { type: "array", items: { type: "string" }, maxItems: 1000 },
            },
            required: ["key", "operator"],
          },
          maxItems: 100,
        },
      },
    },
    sharing: { type: "string", enum: ["None", "Namespace", "Cluster"] },
  },
  required: ["name", "addresses"],
};

const MACHINE: ObjectSchema = {
  type: "object",
  properties: {
    name: NAME,
    addresses: {
      type: "array",
      items: {
        type: "object",
        properties: {
          type: { type: "string", enum: ["Hostname", "InternalIP", "ExternalIP", "InternalDNS", "ExternalDNS"] },
          address: NAME,
        },
        required: ["type", "address"],
      },
      maxItems: 100,
    },
    zone: { type: "string" },
    region: { type: "string" },
    instanceType: { type: "string" },
    labels: LABELS,
    shutdown: { type: "boolean" },
  },
  required: ["name"],
};

const SCHEMA: ObjectSchema = {
  type: "object",
  properties: {
    pools: { type: "array", items: POOL, minItems: 1, maxItems: 1000 },
    nodes: { type: "array", items: MACHINE, minItems: 1, maxItems: 20_000 },
  },
  required: ["pools"],
};

interface WrittenPool {
  readonly name: string;
  readonly addresses: readonly string[];
  readonly autoAssign?: boolean;
  readonly namespaces?: readonly string[];
  readonly serviceSelector?: LabelSelector;
  readonly sharing?: Sharing;
}

type WrittenMachine = Partial<Machine> & Pick<Machine, "name">;

/** A problem, and where it is in the document. */
class Fault extends Error {
  constructor(at: string, why: string) {
    super(`${at}: ${why}`);
  }
}

/** @throws {CloudConfigError} A one-line message that says what is wrong, and where. */
export function readIpPoolConfig(file: Pick<CloudConfigFile, "path" | "text">): IpPoolConfig {
  const { pools: writtenPools, nodes } = readConfigDocument(file, {
    kind: "IpPoolProviderConfiguration",
    schema: SCHEMA,
  }) as {
    readonly pools: readonly WrittenPool[];
    readonly nodes?: readonly WrittenMachine[];
  };
  try {
    unique(writtenPools, "pools");
    const pools = writtenPools.map((pool, i) => readPool(pool, `pools[${i}]`));
    checkOverlaps(pools);
    if (nodes === undefined) return { pools };
    unique(nodes, "nodes");
    checkAddresses(nodes, pools);
    return { pools, machines: new Map(nodes.map((node, i) => [node.name, readMachine(node, `nodes[${i}]`)])) };
  } catch (error) {
    if (error instanceof Fault) throw new CloudConfigError(file.path, error.message, { cause: error });
    throw error;
  }
}

function unique(named: readonly { readonly name: string }[], at: string): void {
  const seen = new Set<string>();
  named.forEach(({ name }, i) => {
    if (seen.has(name)) throw new Fault(`${at}[${i}].name`, `there is another one called ${JSON.stringify(name)}`);
    seen.add(name);
  });
}

function readPool(
  { name, addresses, autoAssign = true, namespaces, serviceSelector, sharing = "Namespace" }: WrittenPool,
  at: string,
): Pool {
  if (!isDns1123Subdomain(name)) {
    throw new Fault(`${at}.name`, `${JSON.stringify(name)} must be lower case letters, digits, "-" and "."`);
  }
  const wrong = namespaces?.findIndex((namespace) => !isDns1123Label(namespace)) ?? -1;
  if (wrong >= 0) {
    throw new Fault(`${at}.namespaces[${wrong}]`, `${JSON.stringify(namespaces?.[wrong])} names no namespace`);
  }
  return {
    name,
    autoAssign,
    sharing,
    ranges: addresses.map((text, i) => readRange(text, `${at}.addresses[${i}]`)),
    ...namespaces && { namespaces: new Set(namespaces) },
    ...serviceSelector && { selector: readSelector(serviceSelector, `${at}.serviceSelector`) },
  };
}

function readRange(text: string, at: string): AddressRange {
  try {
    return parseRange(text);
  } catch (error) {
    throw new Fault(at, `${JSON.stringify(text)}: ${errorText(error)}`);
  }
}

function readSelector(selector: LabelSelector, at: string): Pool["selector"] {
  try {
    return selectorOf(selector);
  } catch (error) {
    throw new Fault(at, errorText(error));
  }
}

/** An address in two pools would be allocated by two sets of rules. */
function checkOverlaps(pools: readonly Pool[]): void {
  const ranges = pools.flatMap((pool, p) =>
    pool.ranges.map((range, r): PoolRange & { readonly at: string } => ({
      pool,
      range,
      at: `pools[${p}].addresses[${r}]`,
    }))
  ).sort(byFirst);
  for (let i = 1; i < ranges.length; i++) {
    const [before, after] = [ranges[i - 1], ranges[i]];
    if (before.range.family !== after.range.family || before.range.last < after.range.first) continue;
    const [late, early] = before.at > after.at ? [before, after] : [after, before];
    const whose = late.pool === early.pool ? "" : ` of pool ${JSON.stringify(early.pool.name)}`;
    throw new Fault(late.at, `${late.range.text} overlaps ${early.range.text}${whose} (${early.at})`);
  }
}

/** An address belongs to one machine only, and no Service may get it. */
function checkAddresses(nodes: readonly WrittenMachine[], pools: readonly Pool[]): void {
  const index = new PoolIndex(pools);
  const seen = new Map<string, string>();
  nodes.forEach(({ addresses = [] }, n) =>
    addresses.forEach(({ type, address: text }, a) => {
      if (!type.endsWith("IP")) return;
      const at = `nodes[${n}].addresses[${a}].address`;
      const address = parseAddress(text);
      if (!address) throw new Fault(at, `${JSON.stringify(text)} is not an IP address`);
      const pool = index.of(address)?.pool;
      if (pool) throw new Fault(at, `${text} is an address of pool ${JSON.stringify(pool.name)}`);
      const key = `${address.family}/${address.value}`;
      const other = seen.get(key) ?? at;
      if (!other.startsWith(`nodes[${n}].`)) {
        throw new Fault(at, `${text} is the address of another node, too (${other})`);
      }
      seen.set(key, at);
    })
  );
}

function readMachine(node: WrittenMachine, at: string): Machine {
  const { name, addresses = [], zone = "", region = "", instanceType = "", labels = {}, shutdown = false } = node;
  if (!isDns1123Subdomain(name)) {
    throw new Fault(`${at}.name`, `${JSON.stringify(name)} is not a valid name for a Node`);
  }
  for (const [field, value] of Object.entries({ zone, region, instanceType })) checkLabel(value, `${at}.${field}`);
  for (const [key, value] of Object.entries(labels)) {
    const [wrong] = labelKeyErrors(key);
    if (wrong !== undefined) throw new Fault(`${at}.labels`, `${JSON.stringify(key)}: ${wrong}`);
    checkLabel(value, `${at}.labels[${JSON.stringify(key)}]`);
  }
  return { name, addresses, zone, region, instanceType, labels, shutdown };
}

function checkLabel(value: string, at: string): void {
  const [wrong] = labelValueErrors(value);
  if (wrong !== undefined) throw new Fault(at, `${JSON.stringify(value)}: ${wrong}`);
}
