/** What goes wrong on the way to the emulator and back, until it is mended. */

/** How an answer is wrong. */
const WRONGS = ["error", "hang", "cut", "empty", "page", "lost"] as const;

/**
 * A fault.
 *
 * | does | meaning |
 * |---|---|
 * | `error` | an error of the API, of this `status` and `code` |
 * | `hang` | no answer, until the fault is mended |
 * | `cut` | the answer ends in its middle |
 * | `empty` | a list of nothing, where there is something |
 * | `page` | a proxy's page of HTML, of this `status` |
 * | `lost` | what was asked for is done, and the answer is lost |
 */
export interface Fault {
  readonly does: typeof WRONGS[number];
  /** All methods if absent. */
  readonly method?: string;
  /** What paths begin with, such as `/servers`; all if absent. */
  readonly path?: string;
  /** How many requests it is for; all if absent. */
  readonly times?: number;
  /** Of `error`, 500 if absent, and of `page`, 200 if absent. */
  readonly status?: number;
  /** Of `error`; `service_error` if absent. */
  readonly code?: string;
}

type Handle = (request: Request) => Promise<Response>;

export class Faults {
  readonly #faults = new Map<
    number,
    { readonly fault: Fault; used: number; readonly mended: PromiseWithResolvers<void> }
  >();
  #lastId = 0;

  /** With their numbers, and for how many requests each was so far. */
  get all(): readonly (Fault & { readonly id: number; readonly used: number })[] {
    return [...this.#faults].map(([id, { fault, used }]) => ({ ...fault, id, used }));
  }

  /** @returns Its number. @throws {TypeError} If it is none. */
  add(fault: Fault): number {
    if (!WRONGS.includes(fault.does)) throw new TypeError(`"does" must be one of ${WRONGS.join(", ")}`);
    this.#faults.set(++this.#lastId, { fault, used: 0, mended: Promise.withResolvers() });
    return this.#lastId;
  }

  /** Ends one fault, or all. */
  mend(id?: number): void {
    for (const [each, { mended }] of this.#faults) {
      if (id !== undefined && id !== each) continue;
      mended.resolve();
      this.#faults.delete(each);
    }
  }

  /** What `handle` answers, but for the first fault that is for the request. */
  around(handle: Handle): Handle {
    return async (request) => {
      const path = new URL(request.url).pathname.replace(/^\/v1/, "");
      const faulty = [...this.#faults.values()].find((
        { used, fault: { times = Infinity, method, path: prefix = "" } },
      ) => used < times && (method === undefined || method === request.method) && path.startsWith(prefix));
      if (!faulty) return await handle(request);
      faulty.used++;
      switch (faulty.fault.does) {
        case "error": {
          const { status = 500, code = "service_error" } = faulty.fault;
          return Response.json({ error: { code, message: "it was asked to fail" } }, { status });
        }
        case "hang":
          await faulty.mended.promise;
          return new Response(null, { status: 503 });
        case "cut":
          return await cut(await handle(request));
        case "empty":
          return await emptied(await handle(request));
        case "page":
          return new Response("<html>Down for maintenance</html>", {
            status: faulty.fault.status ?? 200,
            headers: { "content-type": "text/html" },
          });
        case "lost":
          await handle(request);
          return new Response(null, { status: 502 });
      }
    };
  }
}

async function cut(response: Response): Promise<Response> {
  const text = await response.text();
  return new Response(text.slice(0, text.length / 2), { status: response.status, headers: response.headers });
}

async function emptied(response: Response): Promise<Response> {
  const body = await response.json() as Record<string, unknown>;
  const lists = Object.entries(body).map(([key, value]) => [key, Array.isArray(value) ? [] : value]);
  const { meta } = body as { readonly meta?: { readonly pagination: object } };
  const pagination = meta && { ...meta.pagination, next_page: null, last_page: 1, total_entries: 0 };
  return Response.json({ ...Object.fromEntries(lists), ...meta && { meta: { pagination } } }, {
    status: response.status,
  });
}
