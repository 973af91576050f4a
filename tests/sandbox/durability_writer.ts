/**
 * Writes through an API server over a data directory until it is killed: `durability_writer.ts DIRECTORY SEED`.
 *
 * It prints `state JSON`, the names and numbers that it finds; then `try NAME NUMBER` before each request and
 * `done NAME NUMBER REVISION` when its answer has come. Number 0 is an object that is not there.
 */
import { MemoryLogger, SeededRandom, systemWorld } from "../../src/base/mod.ts";
import { createApiServer, openDataDir } from "../../src/sandbox/mod.ts";

const PATH = "/api/v1/namespaces/default/configmaps";
const NAMES = 40;
/** Writers at a time, each with names of its own. */
const WRITERS = 4;

const [dataDir, seed] = Deno.args;
const random = new SeededRandom(Number(seed));
const server = createApiServer({ world: systemWorld(new MemoryLogger()), backend: await openDataDir(dataDir) });

/** Every part of the object says the number, so that half of a write would show. */
function objectOf(name: string, number: number) {
  const text = `${number} `.repeat(1 + number % 700);
  return { metadata: { name, labels: { number: String(number) } }, data: { number: String(number), text } };
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

async function send(method: string, path: string, body?: object) {
  const request = new Request(`http://server${path}`, {
    method,
    headers: { "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  const response = await server.fetch(request);
  const answer = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${answer.message}`);
  return answer;
}

const numbers = new Map<string, number>();
const revisions: Record<string, number> = {};
const { items, metadata } = await send("GET", PATH);
for (const item of items) {
  const { name, labels } = item.metadata;
  if (!name.startsWith("map-")) continue;
  const number = Number(labels.number);
  if (JSON.stringify(item.data) !== JSON.stringify(objectOf(name, number).data)) {
    throw new Error(`${name} is half written`);
  }
  numbers.set(name, number);
  revisions[name] = Number(item.metadata.resourceVersion);
}
print(`state ${JSON.stringify({ revision: Number(metadata.resourceVersion), numbers: [...numbers], revisions })}`);

let last = Math.max(0, ...numbers.values());
async function write(writer: number): Promise<never> {
  for (;;) {
    const name = `map-${writer + WRITERS * Math.floor(random.float() * NAMES / WRITERS)}`;
    const known = numbers.get(name) ?? 0;
    const number = known > 0 && random.float() < 0.3 ? 0 : ++last;
    print(`try ${name} ${number}`);
    const answer = number === 0
      ? await send("DELETE", `${PATH}/${name}`)
      : await send(known > 0 ? "PUT" : "POST", known > 0 ? `${PATH}/${name}` : PATH, objectOf(name, number));
    numbers.set(name, number);
    // A deletion is answered with a Status, which tells no revision. It was made by now, and so was every one up to the present.
    print(`done ${name} ${number} ${answer.metadata.resourceVersion ?? server.revision}`);
  }
}

await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
