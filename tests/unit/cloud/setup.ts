/** What providers are opened with in tests. */
import { FakeWorld, MetricsRegistry, type World } from "../../../src/base/mod.ts";
import type { CloudConfigFile, CloudSetup, SendRequest } from "../../../src/cloud/mod.ts";

/** A configuration that a test changes. */
export class ScriptedConfig implements CloudConfigFile {
  readonly path = "/etc/cloud.yaml";
  text: string;
  readonly #listeners = new Set<(text: string) => void>();

  constructor(text: string) {
    this.text = text;
  }

  change(text: string): void {
    this.text = text;
    for (const listener of this.#listeners) listener(text);
  }

  onChange(listener: (text: string) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }
}

export function cloudSetup(
  text: string,
  { world = new FakeWorld(), send = () => Promise.reject(new Error("there is no network")), env = {} }: {
    readonly world?: World;
    readonly send?: SendRequest;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): CloudSetup & { readonly config: ScriptedConfig } {
  return {
    world,
    metrics: new MetricsRegistry(),
    config: new ScriptedConfig(text),
    clusterName: "kubernetes",
    clusterCidrs: [],
    env: (name) => env[name],
    connect: () => send,
  };
}
