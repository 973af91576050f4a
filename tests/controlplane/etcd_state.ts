/** All objects that a control plane began with, to begin with them again. */

/** Asks etcd's gateway, such as `kv/range`. */
export type AskEtcd = <T>(path: string, body: unknown) => Promise<T>;

/** As the gateway writes it: bytes in base64, whole numbers as texts. */
interface KeyValue {
  readonly key: string;
  readonly value: string;
  readonly mod_revision: string;
}

/** "0" is what comes behind "/". */
const ALL = { key: btoa("/registry/"), range_end: btoa("/registry0") };

/** What kube-apiserver goes on to write as long as it runs. */
const ITS_OWN = /^\/registry\/(leases\/kube-system\/apiserver-|peerserverleases\/)/;

/** etcd takes no more in a transaction. */
const MOST_CHANGES = 128;

/** With more left behind, a new control plane costs less. */
const MOST_LEFT_BEHIND = 2_000;

/** Whoever was killed a moment ago may have sent something that is written yet. */
const MOST_ROUNDS = 5;

export class EtcdState {
  readonly #ask: AskEtcd;
  readonly #values: ReadonlyMap<string, string>;
  /** The last changes of the keys, as far as they have these values. */
  readonly #revisions: Map<string, string>;

  private constructor(ask: AskEtcd, found: readonly KeyValue[]) {
    this.#ask = ask;
    this.#values = new Map(found.map(({ key, value }) => [key, value]));
    this.#revisions = new Map(found.map(({ key, mod_revision }) => [key, mod_revision]));
  }

  /** Remembers what etcd holds now. */
  static async read(ask: AskEtcd): Promise<EtcdState> {
    return new EtcdState(ask, await range(ask, ALL));
  }

  /**
   * Has etcd hold that again, and nothing else; kube-apiserver learns of it as of any change.
   *
   * @returns Whether it does; if not, there is too much to change.
   */
  async restore(): Promise<boolean> {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const changes = this.#changes(await range(this.#ask, { ...ALL, keys_only: true }));
      if (changes.length === 0) return true;
      if (changes.length > MOST_LEFT_BEHIND) return false;
      for (let at = 0; at < changes.length; at += MOST_CHANGES) {
        await this.#change(changes.slice(at, at + MOST_CHANGES));
      }
    }
    return false;
  }

  /** Keys that are there and should not be, and those that are not as they should be. */
  #changes(found: readonly KeyValue[]): string[] {
    const revisions = new Map(found.map(({ key, mod_revision }) => [key, mod_revision]));
    const keys = new Set([...revisions.keys(), ...this.#revisions.keys()]);
    return [...keys].filter((key) => revisions.get(key) !== this.#revisions.get(key) && !ITS_OWN.test(atob(key)));
  }

  async #change(keys: readonly string[]): Promise<void> {
    const success = keys.map((key) => {
      const value = this.#values.get(key);
      return value === undefined ? { requestDeleteRange: { key } } : { requestPut: { key, value } };
    });
    const { header } = await this.#ask<{ header: { revision: string } }>("kv/txn", { success });
    for (const key of keys) if (this.#values.has(key)) this.#revisions.set(key, header.revision);
  }
}

async function range(ask: AskEtcd, body: unknown): Promise<readonly KeyValue[]> {
  const { kvs = [] } = await ask<{ kvs?: readonly KeyValue[] }>("kv/range", body);
  return kvs;
}
