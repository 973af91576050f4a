/**
 * How a person or a program has the emulated cloud change and fail, beside its API.
 *
 * | request | effect |
 * |---|---|
 * | `GET /emulator` | how much there is |
 * | `GET /emulator/resources` | what managers make: balancers with their services and targets, and routes |
 * | `GET /emulator/requests` | the requests to the API so far |
 * | `GET`, `POST /emulator/faults` | a {@link Fault} |
 * | `DELETE /emulator/faults`, `/emulator/faults/ID` | mends all, or one |
 * | `POST /emulator/servers` | a server, with the members that are given, in the first network if `ip` says its address there |
 * | `PUT /emulator/servers/ID` | changes members, such as `{"status": "off"}` |
 * | `DELETE /emulator/servers/ID` | removes it |
 */
import type { HcloudEmulator } from "./emulator.ts";
import type { Faults } from "./faults.ts";
import { invalid, notFound, Refusal } from "./refusal.ts";
import type { Thing } from "./state.ts";

/** The API and the way to control it. */
export function controlled(emulator: HcloudEmulator, faults: Faults): (request: Request) => Promise<Response> {
  const api = faults.around(emulator.handle);
  return async (request) => {
    const [, first, kind, id] = new URL(request.url).pathname.split("/");
    if (first !== "emulator") return await api(request);
    try {
      const text = await request.text();
      return Response.json(
        control({ emulator, faults }, [request.method, kind, id], text === "" ? {} : JSON.parse(text)),
      );
    } catch (error) {
      const { status, code, message } = error instanceof Refusal ? error : invalid((error as Error).message);
      return Response.json({ error: { code, message } }, { status });
    }
  };
}

function control(
  { emulator, faults }: { readonly emulator: HcloudEmulator; readonly faults: Faults },
  [method, kind, id]: readonly (string | undefined)[],
  body: Thing,
): unknown {
  const { project, seen } = emulator;
  switch (`${method} ${kind ?? ""}`) {
    case "GET ": {
      const { servers, networks, balancers, certificates } = project;
      return {
        servers: [...servers.values()].map(({ id, name, status }) => ({ id, name, status })),
        networks: networks.size,
        load_balancers: balancers.size,
        certificates: certificates.size,
        requests: seen.length,
        faults: faults.all.length,
      };
    }
    case "GET resources":
      return {
        load_balancers: [...project.balancers.values()],
        routes: [...project.networks.values()].flatMap(({ routes }) => routes),
      };
    case "GET requests":
      return seen;
    case "GET faults":
      return faults.all;
    case "POST faults":
      return { id: faults.add(body as Parameters<Faults["add"]>[0]) };
    case "DELETE faults":
      return faults.mend(id === undefined ? undefined : Number(id)) ?? {};
    case "POST servers": {
      const { name, ip, ...fields } = body;
      const server = project.addServer(name, fields);
      const [network] = project.networks.values();
      if (ip && network) project.attach(server, network, ip);
      return server;
    }
    case "PUT servers":
      return Object.assign(serverOf(emulator, id), body);
    case "DELETE servers":
      return project.servers.delete(serverOf(emulator, id).id);
  }
  throw notFound("route");
}

function serverOf({ project }: HcloudEmulator, id: string | undefined): Thing {
  const server = project.servers.get(Number(id));
  if (!server) throw notFound(`server with ID '${id}'`);
  return server;
}
