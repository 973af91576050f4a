/** What the emulated project holds, in the API's own shapes. */

/** A JSON object of the API, which tests may change. */
// deno-lint-ignore no-explicit-any
export type Thing = Record<string, any>;

/** An action that takes time. */
export interface PendingAction {
  readonly action: Thing;
  readonly doneAtMs: number;
  /** What it holds until then: `load_balancers/4`. */
  readonly lock: string;
  /** Why it fails, if it does. */
  readonly error: { readonly code: string; readonly message: string } | undefined;
  readonly effect: () => void;
}

/** Everything in the project. */
export class Project {
  readonly servers = new Map<number, Thing>();
  readonly networks = new Map<number, Thing>();
  readonly balancers = new Map<number, Thing>();
  readonly certificates = new Map<number, Thing>();
  readonly actions = new Map<number, Thing>();
  readonly types: Thing[] = [balancerType(1, "lb11", 25, 5), balancerType(2, "lb21", 75, 15)];
  pending: PendingAction[] = [];
  #lastId = 100;

  nextId(): number {
    return ++this.#lastId;
  }

  addServer(name: string, { id = this.nextId(), ...fields }: Thing = {}): Thing {
    const server = {
      id,
      name,
      status: "running",
      server_type: { id: 1, name: "cx22" },
      location: { id: 1, name: "fsn1" },
      public_net: { ipv4: { ip: `198.51.100.${id % 256}` }, ipv6: { ip: `2001:db8:${id.toString(16)}::/64` } },
      private_net: [],
      labels: {},
      ...fields,
    };
    this.servers.set(id, server);
    return server;
  }

  addNetwork(name: string, fields: Thing = {}): Thing {
    const network = {
      id: this.nextId(),
      name,
      ip_range: "10.0.0.0/8",
      subnets: [],
      routes: [],
      servers: [],
      load_balancers: [],
      labels: {},
      protection: { delete: false },
      ...fields,
    };
    this.networks.set(network.id, network);
    return network;
  }

  /** Puts a server into a network. */
  attach(server: Thing, network: Thing, ip: string): void {
    server.private_net.push({ network: network.id, ip, alias_ips: [], mac_address: "86:00:ff:2a:7d:e1" });
    network.servers.push(server.id);
  }

  addBalancer(name: string, { id = this.nextId(), ...fields }: Thing = {}): Thing {
    const balancer = {
      id,
      name,
      labels: {},
      public_net: {
        enabled: true,
        ipv4: { ip: `203.0.113.${id % 256}`, dns_ptr: `static.${id}.example` },
        ipv6: { ip: `2001:db8:ffff::${id.toString(16)}`, dns_ptr: `static6.${id}.example` },
      },
      private_net: [],
      location: { id: 1, name: "fsn1" },
      load_balancer_type: this.types[0],
      protection: { delete: false },
      services: [],
      targets: [],
      algorithm: { type: "round_robin" },
      created: "2026-01-01T00:00:00Z",
      ...fields,
    };
    this.balancers.set(id, balancer);
    return balancer;
  }

  addCertificate(name: string, fields: Thing = {}): Thing {
    const certificate = { id: this.nextId(), name, type: "uploaded", labels: {}, domain_names: [], ...fields };
    this.certificates.set(certificate.id, certificate);
    return certificate;
  }
}

function balancerType(id: number, name: string, max_targets: number, max_services: number): Thing {
  return {
    id,
    name,
    max_targets,
    max_services,
    max_connections: 10_000,
    max_assigned_certificates: 10,
    deprecation: null,
  };
}
