import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicySpec } from "../../../../src/api/mod.ts";
import { FakeWorld, TurnBudget } from "../../../../src/base/mod.ts";
import type { Schema } from "../../../../src/cel/mod.ts";
import type { RuleQuery, ServedKind } from "../../../../src/client/mod.ts";
import type { PolicyContext } from "../../../../src/controllers/validatingadmissionpolicy_status/context.ts";
import { syncPolicy } from "../../../../src/controllers/validatingadmissionpolicy_status/sync.ts";

/** A policy that was applied, without what is always the same. */
export interface Applied {
  readonly observedGeneration?: number;
  /** What is wrong, by the field; without the kind. */
  readonly warnings: Readonly<Record<string, string>>;
  /** Whether there is a `typeChecking`. */
  readonly isChecked: boolean;
}

/** What the stage serves: kinds by resource and their schemas, which need not be there. */
export type Served = Readonly<Record<string, ServedKind & { readonly schema?: Schema }>>;

const DEPLOYMENT: Schema = {
  type: "object",
  properties: { spec: { type: "object", properties: { replicas: { type: "integer" } } } },
};
export const SERVED: Served = {
  deployments: { group: "apps", version: "v1", kind: "Deployment", schema: DEPLOYMENT },
  pods: { group: "", version: "v1", kind: "Pod", schema: { type: "object" } },
};

/** A controller before a server that serves what it is told to. */
export class Stage {
  readonly world = new FakeWorld();
  readonly lookedUp: string[] = [];
  readonly applied: Applied[] = [];
  /** As they were sent. */
  readonly requests: unknown[] = [];
  resets = 0;
  /** What is served once the mapper was reset. */
  afterReset: Served | undefined;
  lookUpFails = false;
  #served: Served;
  #policy: ValidatingAdmissionPolicy | undefined;

  constructor(served: Served = SERVED) {
    this.#served = served;
  }

  async sync(spec: ValidatingAdmissionPolicySpec, more: Partial<ValidatingAdmissionPolicy> = {}): Promise<Applied> {
    this.#policy = { metadata: { name: "p", generation: 1 }, spec, ...more };
    await syncPolicy("p", this.#context, new AbortController().signal);
    return this.applied.at(-1)!;
  }

  async syncGone(): Promise<void> {
    this.#policy = undefined;
    await syncPolicy("p", this.#context, new AbortController().signal);
  }

  get #context(): PolicyContext {
    return {
      world: this.world,
      policies: { get: () => this.#policy },
      budget: new TurnBudget(this.world.clock, Infinity),
      mapper: { kindsFor: (query) => this.#kindsFor(query), reset: () => this.#reset() },
      schemas: { of: (kind) => Promise.resolve(this.#schemaOf(kind)) },
      client: {
        apply: (_resource, object, options) => {
          this.requests.push([object, { ...options, signal: undefined }]);
          this.#record(object as ValidatingAdmissionPolicy);
          return Promise.resolve(object);
        },
      },
    };
  }

  #record({ status }: ValidatingAdmissionPolicy): void {
    const { observedGeneration, typeChecking } = status ?? {};
    const warnings = Object.fromEntries(
      (typeChecking?.expressionWarnings ?? []).map(({ fieldRef, warning }) => [fieldRef, warning]),
    );
    this.applied.push({ observedGeneration, warnings, isChecked: typeChecking !== undefined });
  }

  #kindsFor({ group, version, resource }: RuleQuery): Promise<readonly ServedKind[]> {
    this.lookedUp.push(`${group}/${version}/${resource}`);
    if (this.lookUpFails) return Promise.reject(new Error("no discovery"));
    const found = Object.hasOwn(this.#served, resource) ? this.#served[resource] : undefined;
    if (found?.group !== group || found.version !== version) return Promise.resolve([]);
    return Promise.resolve([{ group, version, kind: found.kind }]);
  }

  #reset(): void {
    this.resets++;
    this.#served = this.afterReset ?? this.#served;
  }

  #schemaOf({ group, kind }: ServedKind) {
    const schema = Object.values(this.#served).find((one) => one.group === group && one.kind === kind)?.schema;
    return schema && { reference: kind, find: () => schema };
  }
}

/** A rule about resources of one group. */
export function rule(apiGroups: string[], resources: string[], apiVersions = ["v1"]) {
  return { apiGroups, apiVersions, resources, operations: ["*"] };
}

/** A policy that demands this of Deployments, unless `more` says otherwise. */
export function demanding(
  expressions: readonly string[],
  more: ValidatingAdmissionPolicySpec = {},
): ValidatingAdmissionPolicySpec {
  return {
    matchConstraints: { resourceRules: [rule(["apps"], ["deployments"])] },
    validations: expressions.map((expression) => ({ expression })),
    ...more,
  };
}
