/** Node ports, as Services are given them by the server. */
import { assertEquals } from "@std/assert";
import { Harness, type Loose } from "../../harness.ts";

const SERVICES = "/api/v1/namespaces/default/services";

function service(name: string, ...nodePorts: (number | undefined)[]): Loose {
  const ports = nodePorts.map((nodePort, i) => ({ name: `p${i}`, port: 80 + i, nodePort }));
  return { apiVersion: "v1", kind: "Service", metadata: { name }, spec: { type: "NodePort", ports } };
}

const portsOf = ({ body }: Loose) => body.spec.ports.map(({ nodePort }: Loose) => nodePort);
const refusal = (
  { status, body }: Loose,
) => [status, body.details?.causes?.[0]?.field, body.details?.causes?.[0]?.message];
const taken = (at: number, port: number) => [
  422,
  `spec.ports[${at}].nodePort`,
  `Invalid value: ${port}: provided port is already allocated`,
];

Deno.test("NodePorts: a port is refused if another Service has it or the operation has assigned it", async () => {
  using api = new Harness();
  assertEquals(portsOf(await api.post(SERVICES, service("a", 31_000))), [31_000]);
  assertEquals(refusal(await api.post(SERVICES, service("b", 31_000))), taken(0, 31_000));
  assertEquals(refusal(await api.post(SERVICES, service("b", 31_001, 31_000))), taken(1, 31_000));
  const healthChecked = service("b", 31_002);
  Object.assign(healthChecked.spec, {
    type: "LoadBalancer",
    externalTrafficPolicy: "Local",
    healthCheckNodePort: 31_002,
  });
  const { status, body } = await api.post(SERVICES, healthChecked);
  assertEquals([status, body.message], [
    500,
    "Internal error occurred: failed to allocate requested HealthCheck NodePort 31002: provided port is already allocated",
  ]);
  // Nothing of what was refused is kept.
  const given = portsOf(await api.post(SERVICES, service("b", undefined, undefined)));
  assertEquals(given, [30_000, 30_001]);
  assertEquals(portsOf(await api.post(SERVICES, service("c", 31_001, 31_002))), [31_001, 31_002]);
});

Deno.test("NodePorts: a Service may keep the ports it had before", async () => {
  using api = new Harness();
  const { body } = await api.post(SERVICES, service("a", 31_000, 31_001));
  await api.post(SERVICES, service("b", 31_005));
  const update = (...ports: number[]) =>
    api.put(`${SERVICES}/a`, {
      ...body,
      spec: { ...body.spec, ports: service("a", ...ports).spec.ports },
      metadata: { name: "a" },
    });
  assertEquals(portsOf(await update(31_000, 31_001)), [31_000, 31_001]);
  assertEquals(portsOf(await update(31_001, 31_002)), [31_001, 31_002], "in another place too");
  assertEquals(refusal(await update(31_001, 31_005)), taken(1, 31_005));
  assertEquals(portsOf(await api.post(SERVICES, service("c", 31_000))), [31_000], "what it gave back is free");
});

Deno.test("NodePorts: a Service that asks for more ports than there are says what could not be allocated", async () => {
  using api = new Harness();
  const { status, body } = await api.post(SERVICES, service("a", ...Array.from({ length: 2769 }, () => undefined)));
  assertEquals([status, body.message], [
    500,
    "Internal error occurred: failed to allocate a nodePort: range is full",
  ]);
});

Deno.test("NodePorts: a port of a new Service has the same node port for all protocols", async () => {
  using api = new Harness();
  const asked = service("a", undefined, 31_000, undefined, undefined);
  for (const [i, protocol] of ["UDP", "TCP", "SCTP"].entries()) {
    Object.assign(asked.spec.ports[i], { port: 53, protocol });
  }
  assertEquals(portsOf(await api.post(SERVICES, asked)), [31_000, 31_000, 31_000, 30_000]);
});
