/** What may be done to a load balancer: each checks first, and returns what happens once the action is done. */
import { invalid, notFound, Refusal } from "./refusal.ts";
import type { Project, Thing } from "./state.ts";

type Effect = () => void;

export const BALANCER_ACTIONS: Readonly<Record<string, (project: Project, balancer: Thing, body: Thing) => Effect>> = {
  change_algorithm: (_, balancer, { type }) => {
    if (!["round_robin", "least_connections"].includes(type)) throw invalid("algorithm");
    return () => balancer.algorithm = { type };
  },
  change_type: (project, balancer, { load_balancer_type }) => {
    const type = typeCalled(project, load_balancer_type);
    if (type.max_targets < balancer.targets.length) throw new Refusal(422, "invalid_load_balancer_type", "too small");
    return () => balancer.load_balancer_type = type;
  },
  change_dns_ptr: (_, { public_net }, { ip, dns_ptr }) => {
    const net = [public_net.ipv4, public_net.ipv6].find((net) => net.ip === ip);
    if (!net) throw notFound("address");
    return () => net.dns_ptr = dns_ptr;
  },
  change_protection: (_, balancer, body) => () =>
    balancer.protection = { delete: body.delete ?? balancer.protection.delete },
  enable_public_interface: (_, { public_net }) => () => public_net.enabled = true,
  disable_public_interface: (_, { public_net }) => () => public_net.enabled = false,
  attach_to_network: (project, balancer, { network: id, ip }) => {
    const network = project.networks.get(id);
    if (!network) throw notFound("network");
    if (balancer.private_net.some((net: Thing) => net.network === id)) {
      throw new Refusal(409, "load_balancer_already_attached", "load balancer is already attached");
    }
    return () => {
      balancer.private_net.push({ network: id, ip: ip ?? `10.0.255.${balancer.id % 256}` });
      network.load_balancers.push(balancer.id);
    };
  },
  detach_from_network: (project, balancer, { network: id }) => {
    const network = project.networks.get(id);
    if (!network || !balancer.private_net.some((net: Thing) => net.network === id)) {
      throw new Refusal(422, "load_balancer_not_attached_to_network", "load balancer is not attached");
    }
    return () => {
      balancer.private_net = balancer.private_net.filter((net: Thing) => net.network !== id);
      balancer.targets = balancer.targets.filter((target: Thing) => !target.use_private_ip);
      network.load_balancers = network.load_balancers.filter((other: number) => other !== balancer.id);
    };
  },
  add_service: (project, balancer, body) => {
    if (serviceOn(balancer, body.listen_port)) {
      throw new Refusal(409, "source_port_already_used", "source port is already used");
    }
    if (balancer.services.length >= balancer.load_balancer_type.max_services) {
      throw new Refusal(422, "resource_limit_exceeded", "too many services");
    }
    const service = withService({}, body, project);
    return () => balancer.services.push(service);
  },
  update_service: (project, balancer, body) => {
    const service = serviceOn(balancer, body.listen_port);
    if (!service) throw notFound("service");
    const changed = withService(service, body, project);
    return () => Object.assign(service, changed);
  },
  delete_service: (_, balancer, { listen_port }) => {
    if (!serviceOn(balancer, listen_port)) throw notFound("service");
    return () => balancer.services = balancer.services.filter((service: Thing) => service.listen_port !== listen_port);
  },
  add_target: (project, balancer, body) => {
    if (body.type !== "server") throw invalid("type");
    const server = project.servers.get(body.server?.id);
    if (!server) throw notFound("server");
    if (targetOf(balancer, server.id)) throw new Refusal(409, "target_already_defined", "target is already defined");
    if (balancer.targets.length >= balancer.load_balancer_type.max_targets) {
      throw new Refusal(422, "resource_limit_exceeded", "too many targets");
    }
    const networks = balancer.private_net.map((net: Thing) => net.network);
    if (body.use_private_ip && !server.private_net.some((net: Thing) => networks.includes(net.network))) {
      throw new Refusal(422, "server_not_attached_to_network", "server is not attached to the network");
    }
    const use_private_ip = body.use_private_ip ?? false;
    return () =>
      balancer.targets.push({ type: "server", server: { id: server.id }, use_private_ip, health_status: [] });
  },
  remove_target: (_, balancer, body) => {
    const isIt = (target: Thing) =>
      target.type === body.type && target.server?.id === body.server?.id && target.ip?.ip === body.ip?.ip;
    if (!balancer.targets.some(isIt)) throw notFound("target");
    return () => balancer.targets = balancer.targets.filter((target: Thing) => !isIt(target));
  },
};

/** The type that a request names by ID or name. */
export function typeCalled({ types }: Project, idOrName: unknown): Thing {
  const type = types.find(({ id, name }) => id === idOrName || name === idOrName);
  if (!type) throw invalid("load_balancer_type");
  return type;
}

function serviceOn(balancer: Thing, port: unknown): Thing | undefined {
  return balancer.services.find((service: Thing) => service.listen_port === port);
}

function targetOf(balancer: Thing, server: number): Thing | undefined {
  return balancer.targets.find((target: Thing) => target.type === "server" && target.server.id === server);
}

const HTTP = {
  cookie_name: "HCLBSTICKY",
  cookie_lifetime: 300,
  certificates: [],
  redirect_http: false,
  sticky_sessions: false,
};
const CHECK_HTTP = { domain: "", path: "/", response: "", status_codes: ["2??", "3??"], tls: false };

function withService(before: Thing, body: Thing, { certificates }: Project): Thing {
  const protocol = body.protocol ?? before.protocol;
  if (!["tcp", "http", "https"].includes(protocol)) throw invalid("protocol");
  for (const port of [body.listen_port, body.destination_port ?? before.destination_port]) {
    if (!Number.isInteger(port) || port < 1 || port > 65535) throw invalid("port");
  }
  if (body.http?.certificates?.some((id: number) => !certificates.has(id))) throw notFound("certificate");
  const http = { ...HTTP, timeout_idle: 60, ...before.http, ...body.http };
  if (protocol === "https" && http.certificates.length === 0) throw invalid("https needs certificates");
  const check = {
    protocol: "tcp",
    interval: 15,
    timeout: 10,
    retries: 3,
    port: body.destination_port,
    ...before.health_check,
  };
  const { http: checkHttp, ...changed } = body.health_check ?? {};
  Object.assign(check, changed);
  if (check.protocol === "tcp") delete check.http;
  else check.http = { ...CHECK_HTTP, ...before.health_check?.http, ...checkHttp };
  return {
    protocol,
    listen_port: body.listen_port,
    destination_port: body.destination_port ?? before.destination_port,
    proxyprotocol: body.proxyprotocol ?? before.proxyprotocol ?? false,
    ...protocol !== "tcp" && { http },
    health_check: check,
  };
}
