import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import {
  type ClientConfig,
  type Dial,
  ROOT_CLIENTS,
  ServiceAccountClientBuilder,
  type Transport,
  transportOf,
  withoutCredentials,
  WriteRefusedError,
} from "../../../../src/client/mod.ts";
import { AccountsApi } from "./accounts_api.ts";
import { FakeSocket, response } from "../test_socket.ts";
import { SERVER } from "../test_server.ts";

const config: ClientConfig = { server: SERVER, token: "root" };

/** Who says what in a request that an account sent. */
interface Sent {
  readonly path: string;
  readonly authorization: string | null;
  readonly agent: string;
}

function setUp(rate: { qps?: number; burst?: number } = {}) {
  const api = new AccountsApi();
  const sent: Sent[] = [];
  let status = 200;
  const anonymous: Transport = ({ url, headers }) => {
    const agent = headers.get("user-agent") ?? "";
    sent.push({ path: new URL(url).pathname, authorization: headers.get("authorization"), agent });
    return Promise.resolve(Response.json({}, { status }));
  };
  const clients = new ServiceAccountClientBuilder({
    program: "kube-controller-manager",
    world: api.world,
    config,
    transport: api.transport,
    anonymous,
    ...rate,
  });
  return { api, clients, sent, answerWith: (code: number) => status = code, clock: api.world.clock };
}

Deno.test("ServiceAccountClientBuilder: the client called N sends as system:serviceaccount:kube-system:N, and its User-Agent says so", async () => {
  const { api, clients, sent } = setUp();
  await clients.client("job-controller").request("GET", "/version");
  await clients.client("cronjob-controller").request("GET", "/version");
  assertEquals(sent.map(({ authorization }) => authorization), ["Bearer token-1", "Bearer token-2"]);
  assertMatch(
    sent[0].agent,
    /^kube-controller-manager\/v[\d.]+ \(\w+\/\w+\) kubernetes\/\w+\/system:serviceaccount:kube-system:job-controller$/,
  );
  assertEquals([...api.accounts], ["job-controller", "cronjob-controller"]);
});

Deno.test("ServiceAccountClientBuilder: the client called N sends as system:serviceaccount:kube-system:N, and its User-Agent says so; however many clients and threads use the name, there is one token for it", async () => {
  const { api, clients, sent } = setUp();
  const thread = clients.transport("job-controller");
  await Promise.all([
    clients.client("job-controller").request("GET", "/version"),
    clients.client("job-controller").request("GET", "/version"),
    thread(new Request(`${SERVER}/version`, { headers: { "user-agent": "somebody/1.0" } })),
  ]);
  assertEquals([api.issued, new Set(sent.map(({ authorization }) => authorization)).size], [1, 1]);
  assertEquals(new Set(sent.map(({ agent }) => agent)).size, 1);
});

Deno.test("ServiceAccountClientBuilder asks for tokens as the manager itself", async () => {
  const { api, clients } = setUp();
  await clients.client("job-controller").request("GET", "/version");
  assertEquals(api.seen.length, 4);
  for (const { agent } of api.seen) assertMatch(agent, /^kube-controller-manager\/.*\/kube-controller-manager$/);
});

Deno.test("ServiceAccountClientBuilder: the clients in ROOT_CLIENTS, and the one called as the program, send with the process's own credentials", async () => {
  const { api, clients, sent } = setUp();
  for (const name of ROOT_CLIENTS) {
    assertEquals(clients.transport(name), api.transport);
    await clients.client(name).request("GET", `/api/v1/namespaces/${name}`).catch(() => {});
  }
  assertEquals([api.lines.length, sent, api.issued], [ROOT_CLIENTS.size, [], 0]);
  assertEquals(clients.transport("kube-controller-manager"), api.transport);
  for (const name of ["shared-informers", "metadata-informers", "controller-discovery", "tokens-controller"]) {
    assertEquals(ROOT_CLIENTS.has(name), true, name);
  }
});

Deno.test("ServiceAccountClientBuilder gets a new token after a 401, which is returned", async () => {
  const { clients, sent, answerWith, clock } = setUp();
  const client = clients.client("job-controller");
  await client.request("GET", "/version");
  await clock.advance(1000);
  answerWith(401);
  await assertRejects(() => client.request("GET", "/version"));
  answerWith(200);
  await client.request("GET", "/version");
  assertEquals(sent.map(({ authorization }) => authorization), ["Bearer token-1", "Bearer token-1", "Bearer token-2"]);
});

Deno.test("ServiceAccountClientBuilder: rate limits are those of every builder: each client has its own", async () => {
  const { clients, sent, clock } = setUp({ qps: 1, burst: 2 });
  const [one, other] = [clients.client("job-controller"), clients.client("cronjob-controller")];
  const all = [one, one, one, other].map((client) => client.request("GET", "/version"));
  await clock.advance(0);
  assertEquals(sent.length, 3);
  await clock.advance(1000);
  assertEquals(sent.length, 4);
  await Promise.all(all);
});

Deno.test("ServiceAccountClientBuilder can have 40 controllers' tokens at once", async () => {
  const { api, clients, sent, clock } = setUp();
  const all = Array.from({ length: 40 }, (_, i) => clients.client(`c${i}`).request("GET", "/version"));
  await clock.advance(0);
  assertEquals([sent.length, api.issued], [40, 40]);
  await Promise.all(all);
});

/** Transports of real connections, whose other end answers everything alike. */
function fenced(answer: string) {
  const api = new AccountsApi();
  const fence = { mayWrite: true };
  const written = { root: "", anonymous: "" };
  const transportWith = (config: ClientConfig, who: keyof typeof written) => {
    const dial: Dial = () => {
      const socket = new FakeSocket();
      const write = socket.write.bind(socket);
      socket.write = async (bytes) => {
        written[who] += new TextDecoder().decode(bytes);
        const length = await write(bytes);
        socket.push(response(answer));
        return length;
      };
      return Promise.resolve(socket);
    };
    return transportOf(api.world, config, { dial, mayWrite: () => fence.mayWrite });
  };
  const transport = transportWith(config, "root");
  const anonymous = transportWith(withoutCredentials(config), "anonymous");
  const clients = new ServiceAccountClientBuilder({
    program: "kube-controller-manager",
    world: api.world,
    config,
    transport,
    anonymous,
  });
  const close = () => [transport, anonymous].forEach((one) => one.close());
  return { client: clients.client("job-controller"), fence, written, close };
}

const TOKEN = JSON.stringify({ status: { token: "given", expirationTimestamp: "2026-01-01T01:00:00Z" } });

Deno.test("ServiceAccountClientBuilder: asking for a token is a write: it passes the fence", async () => {
  const { client, fence, written, close } = fenced(TOKEN);
  fence.mayWrite = false;
  await assertRejects(
    () => client.request("GET", "/version"),
    WriteRefusedError,
    "serviceaccounts/job-controller/token",
  );
  assertMatch(written.root, /^GET [^]*authorization: Bearer root/);
  assertEquals([written.root.includes("POST"), written.anonymous], [false, ""]);
  close();
});

Deno.test("ServiceAccountClientBuilder keeps back an account's writes while this process may not write", async () => {
  const { client, fence, written, close } = fenced(TOKEN);
  await client.request("POST", "/first");
  fence.mayWrite = false;
  await assertRejects(() => client.request("POST", "/second"), WriteRefusedError, "/second was not sent");
  await client.request("GET", "/third");
  assertEquals(written.anonymous.match(/^(GET|POST) \S+|^authorization: .*/gm), [
    "POST /first",
    "authorization: Bearer given",
    "GET /third",
    "authorization: Bearer given",
  ]);
  close();
});

Deno.test("withoutCredentials leaves nothing of who we are, and all of whom we trust and how we get there", () => {
  const place = {
    server: SERVER,
    namespace: "n",
    ca: { file: "/ca.crt" },
    caData: "CA",
    tlsServerName: "api",
    insecure: false,
    proxyUrl: "http://proxy:3128",
    disableCompression: true,
  };
  const who: Omit<Required<ClientConfig>, keyof typeof place> = {
    clientCertificate: { file: "/me.crt" },
    clientKey: { file: "/me.key" },
    token: "t",
    tokenFile: "/token",
    basic: { username: "u", password: "p" },
    impersonate: { user: "jane" },
    exec: {
      command: "login",
      args: [],
      env: [],
      apiVersion: "client.authentication.k8s.io/v1",
      interactiveMode: "Never",
      provideClusterInfo: false,
      installHint: "",
    },
  };
  assertEquals(withoutCredentials({ ...place, ...who }), place);
});
