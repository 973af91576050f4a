import { type GroupVersion, groupVersionPath } from "../../api/mod.ts";
import { LruMap, parseJson, type TurnBudget } from "../../base/mod.ts";
import type { FindSchema } from "../../cel/mod.ts";
import { type Client, isNotFound, type ServedKind } from "../../client/mod.ts";
import { isBuiltIn } from "./built_in_groups.ts";
import { readSchemas, type Schemas } from "./read_schemas.ts";

/** How many documents are kept, each without its descriptions. */
const MOST_KEPT = 16;

/** A kind's schema, and how to resolve its references. */
export interface FoundSchema {
  readonly reference: string;
  readonly find: FindSchema;
}

interface Kept {
  /** The server's address for this state of the document; `undefined` for a group that never changes. */
  readonly address: string | undefined;
  readonly schemas: Schemas;
}

/**
 * The schemas that the API server publishes, one document per group version.
 *
 * Contract:
 * 1. The document of a built-in group is read once as long as it is kept; of any other, whenever the server says that
 *    it changed.
 * 2. Callers that ask at the same time for a document that is not kept share one answer.
 * 3. At most 16 documents are kept.
 *
 * Upstream: `apiserver/pkg/cel/openapi/resolver/discovery.go`, which has built-in kinds compiled in and keeps nothing.
 */
export class SchemaDocuments {
  readonly #client: Pick<Client, "requestText">;
  readonly #budget: TurnBudget;
  readonly #kept = new LruMap<string, Kept>(MOST_KEPT);
  readonly #asked = new Map<string, Promise<Schemas | undefined>>();

  constructor({ client, budget }: {
    readonly client: Pick<Client, "requestText">;
    readonly budget: TurnBudget;
  }) {
    this.#client = client;
    this.#budget = budget;
  }

  /**
   * The schema of a kind, if there is one.
   *
   * @throws {StatusError} If it could not be fetched.
   */
  async of({ group, version, kind }: ServedKind, signal: AbortSignal): Promise<FoundSchema | undefined> {
    const path = groupVersionPath({ group, version });
    const schemas = await this.#shared(path, { group, version }, signal);
    const reference = schemas?.kinds.get(`${group}/${version}/${kind}`);
    return schemas && reference !== undefined
      ? { reference, find: (name) => schemas.byReference.get(name) }
      : undefined;
  }

  #shared(path: string, groupVersion: GroupVersion, signal: AbortSignal): Promise<Schemas | undefined> {
    const asked = this.#asked.get(path);
    if (asked) return asked;
    const answer = this.#current(path, groupVersion, signal).finally(() => this.#asked.delete(path));
    this.#asked.set(path, answer);
    return answer;
  }

  async #current(path: string, groupVersion: GroupVersion, signal: AbortSignal): Promise<Schemas | undefined> {
    const kept = this.#kept.get(path);
    let address;
    if (!isBuiltIn(groupVersion)) {
      address = await this.#addressOf(path, signal);
      if (address === undefined) return undefined;
    }
    if (kept && kept.address === address) return kept.schemas;
    try {
      const { text } = await this.#client.requestText("GET", `/openapi/v3${path}`, { signal });
      const schemas = await this.#budget.run(readSchemas(parseJson(text)));
      this.#kept.set(path, { address, schemas });
      return schemas;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** The document's address as the server states it; it changes with the content. */
  async #addressOf(path: string, signal: AbortSignal): Promise<string | undefined> {
    const { text } = await this.#client.requestText("GET", "/openapi/v3", { signal });
    const index = parseJson(text) as { readonly paths?: Readonly<Record<string, { serverRelativeURL?: string }>> };
    const paths = index?.paths ?? {};
    const name = path.slice(1);
    return Object.hasOwn(paths, name) ? paths[name].serverRelativeURL ?? "" : undefined;
  }
}
