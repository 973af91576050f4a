/** What admission policies demand, and what is found wrong with that, on any server and under either manager. */
import { VALIDATINGADMISSIONPOLICIES } from "../../src/api/mod.ts";
import {
  about,
  check,
  DEPLOYMENTS_RULE,
  expressionScenario,
  LIMIT,
  type Rule,
  untilChecked,
  WIDGETS,
  writeDown,
} from "./policy_kit.ts";
import type { Scenario } from "./scenario.ts";

const widgets = { matchConstraints: about(WIDGETS) };
const deployments = { matchConstraints: about(DEPLOYMENTS_RULE) };

const EXPRESSIONS: readonly Scenario[] = [
  expressionScenario("policy-fields", widgets, [
    "object.spec.size > 1",
    "object.spec.size > '1' && object.spec.nope == 1",
    "object.nope1 == 1 || object.nope2 == 2 || object.nope3 == 3",
    "object.spec.name.x == 1",
    "object.spec.anything == 1 || object.spec.free.x == 1",
    "object.spec.my__dash__field > 'a' || object.spec.a__dot__b > 1 || object.spec.a__slash__b > 1",
    "object.spec.x__underscores__y > 1 || object.spec.__namespace__ > 1 || object.spec.namespace > 2",
    "object.spec.__in__ > 'x' || object.spec.xy > 1",
    "object.spec.template.metadata.name > 1 || object.spec.template.kind > 1 || object.spec.template.spec == 2",
    "has(object.spec.nope) || has(object.spec.name.x) || has(object.spec.limits.x)",
    "object.metadata.labels.foo.bar == 1 || object.metadata.creationTimestamp == 'x'",
    "object.metadata.ownerReferences.all(o, o.controller == 'x' && o.nope)",
    "oldObject.spec.nope == object.spec.nope",
    "object.spec['size'] == 1",
  ]),
  expressionScenario("policy-operators", widgets, [
    "object.spec.name + 1 == 2",
    "-object.spec.name == 1 || !object.spec.name",
    "object.spec.size == 1u || object.spec.size < 1u || object.spec.ratio < 2u",
    "object.spec.ratio + 1 > 0.0",
    "object.spec.every > object.spec.at || object.spec.at - object.spec.day == 1",
    "object.spec.data == 'x' || object.spec.on > 1",
    "object == oldObject && object.spec == object.metadata && object == 1",
    "object.spec == null && object.spec.name == null && object.spec.tags == null",
    "object.spec.size in object.spec.tags || object.spec.name in object.spec.limits",
    "(object.spec.on ? object.spec.name : object.spec.size) == 1",
    "object.spec.name ? true : false",
    "object.spec.name || object.spec.size",
    "object.spec.tags + object.spec.numbers == []",
    "object.spec.tags['a'] == 1 || object.spec.limits[1] == 1 || object.spec.tags[0].x == 1",
    "object.spec.port == 1 && object.spec.port == 'a' && object.spec.ports[0].target == 's'",
    "--object.spec.size == 'x' && -1 + object.spec.size == object.spec.name",
    "(object.spec.size == 1) == object.spec.name",
    "[object.spec.name, object.spec.name] == [object.spec.size, object.spec.size]",
    "{object.spec.name: 1} == {object.spec.size: 1}",
  ]),
  expressionScenario("policy-functions", widgets, [
    "object.spec.name.size() > object.spec.name || object.spec.size.size() == 1 || size(object.spec.size) == 1",
    "object.spec.name.startsWith(object.spec.size)",
    "int(object.spec.tags) == 1 || string(object.spec) == ''",
    "object.spec.tags.join(object.spec.size) == '' || object.spec.numbers.join(',') == ''",
    "object.spec.matrix.flatten().sum() > object.spec.name || object.spec.matrix.flatten() == object.spec.tags",
    "quantity(object.spec.size) == quantity('1') || quantity(object.spec.name).isGreaterThan(object.spec.size)",
    "ip(object.spec.size).family() == 4 || cidr(object.spec.name).containsIP(object.spec.size)",
    "url(object.spec.name).getHost() > object.spec.size",
    "format.dns1123Label().validate(object.spec.size).hasValue()",
    "semver(object.spec.size).major() == object.spec.name",
    "sets.contains(object.spec.tags, object.spec.numbers)",
    "object.spec.numbers.isSorted() && object.spec.ports.isSorted()",
    "object.spec.name.matches(object.spec.size) || object.spec.name.find('[0-9]+') == object.spec.size",
    "'%d'.format([object.spec.name]) == '' || '%s'.format([object.spec]) == ''",
    "'%x %b'.format([object.spec.on, object.spec.name]) == ''",
    "'%d %s'.format([object.spec.size, object.spec.name]) == ''",
    "type(object.spec.name) == object.spec.size || type(object.spec.name) == string",
    "object.spec.tags.sort() == object.spec.numbers.sort() || object.spec.numbers.max() == 'x'",
    "authorizer.group(object.spec.size).resource('pods').check('get').allowed()",
    "authorizer.path(object.spec.name).check(object.spec.size).allowed() == object.spec.name",
    "duration(object.spec.size) > object.spec.every && timestamp(object.spec.on) == object.spec.at",
    "lists.range(object.spec.name) == [1]",
  ]),
  expressionScenario("policy-macros", widgets, [
    "object.spec.tags.all(t, t > 1) || object.spec.tags.exists(t, t)",
    "object.spec.name.all(t, t > 1) || object.spec.size.exists(t, t > 1)",
    "object.spec.tags.map(t, t.x) == []",
    "object.spec.tags.filter(t, t) == [] || object.spec.tags.exists_one(t, t)",
    "object.spec.ports.all(p, p.number > 'x' && p.nope == 1 && p.target == 's')",
    "object.spec.ports.sortBy(p, p.number)[0].name > 1 || object.spec.ports.sortBy(p, p).size() > 1",
    "object.spec.?name.optMap(n, n > 1).orValue(true)",
    "object.spec.?name.optFlatMap(n, n).orValue(true)",
    "object.spec.?nope.orValue('x') == '' || object.?spec.name.orValue(1) > 1",
    "object[?'spec'].x == 1",
    "object.spec.limits.transformList(k, v, k + v) == []",
    "object.spec.limits.transformMap(k, v, v + 'x') == {}",
    "object.spec.limits.transformMapEntry(k, v, {v: k}) == {'a': 1}",
    "object.spec.tags.all(i, t, i > t) || object.spec.parts.exists(k, v, v.b == k)",
    "object.spec.tags.map(t, object.spec.numbers.map(n, t + n)).size() > object.spec.name",
  ]),
  expressionScenario("policy-texts", widgets, [
    "'ä€𝄞' + object.spec.size == ''",
    "object.spec.size + 'ä€𝄞' == '' ||\n\tobject.spec.name + 1 == 2",
    "// a comment\nobject.spec.size\r\n  .foo\n   == 1",
    "\tobject.spec.size\t+\t'x' == ''",
    `${"object.spec.size == 1 && ".repeat(700)}object.spec.nope`,
    Array.from({ length: 120 }, (_, i) => `object.no${i} == 1`).join(" || "),
    Array.from({ length: 130 }, (_, i) => `object.no${i} == 1`).join(" ||\n"),
    `'${"x".repeat(16_400)}' == object.spec.size`,
  ]),
  expressionScenario("policy-built-in-kinds", deployments, [
    "object.spec.replicas > '1'",
    "object.spec.template.spec.containers.all(c, c.image.startsWith(object.spec.replicas) && c.nope == 2)",
    "object.spec.template.spec.containers[0].resources.limits.cpu > 1",
    "object.spec.template.spec.containers[0].resources.requests['memory'] == quantity('1')",
    "object.spec.strategy.rollingUpdate.maxSurge > 1 && object.spec.strategy.rollingUpdate.maxSurge == 'x'",
    "object.spec.template.spec.containers[0].livenessProbe.httpGet.port.x == 1",
    "object.spec.selector.matchLabels.app.x == 1 || object.spec.selector.matchExpressions[0].values == 'x'",
    "object.metadata.managedFields[0].fieldsV1.x == 1 || object.metadata.managedFields[0].time == 'x'",
    "object.metadata.generation == object.metadata.uid",
    "object.status.conditions.exists(c, c.lastUpdateTime == c.status)",
    "request.userInfo.groups.exists(g, g == object.spec.replicas)",
    "namespaceObject.metadata.labels.x > object.spec.replicas",
    "request.options.x == object.spec.nope",
  ]),
];

/** What of a kind's name is compared where several kinds are checked. */
const nameIsWrong = [{ expression: "object.metadata.name == 1" }];

function rulesScenario(name: string, rules: Readonly<Record<string, readonly Rule[]>>): Scenario {
  return {
    name,
    run: async (kit) => {
      for (const [policy, each] of Object.entries(rules)) {
        await check(kit, policy, { matchConstraints: about(...each), validations: nameIsWrong });
      }
    },
  };
}

const KINDS: readonly Scenario[] = [
  rulesScenario("policy-kinds", {
    order: [{ groups: ["apps"], resources: ["deployments"] }, { groups: [""], resources: ["pods"] }],
    twice: [{ groups: ["apps"], resources: ["deployments"] }, { groups: ["apps"], resources: ["deployments"] }],
    "no-group": [{ groups: [""], resources: ["deployments"] }],
    singular: [{ groups: ["apps"], resources: ["deployment"] }],
    "wild-resource": [{ groups: ["apps"], resources: ["*"] }],
    "wild-group": [{ groups: ["*"], resources: ["deployments"] }],
    "wild-version": [{ groups: ["apps"], versions: ["*"], resources: ["deployments"] }],
    subresources: [{ groups: [""], resources: ["pods/exec", "pods/*"] }],
    "some-subresources": [{ groups: [""], resources: ["pods/exec", "configmaps"] }],
    unknown: [{ groups: ["nowhere.example.com"], resources: ["things"] }],
    "some-unknown": [{ groups: ["nowhere.example.com", "apps"], resources: ["things", "replicasets"] }],
    ten: [{
      groups: [""],
      resources: [
        ..."pods services secrets nodes namespaces endpoints events limitranges configmaps podtemplates".split(" "),
        ..."persistentvolumes persistentvolumeclaims replicationcontrollers resourcequotas serviceaccounts".split(" "),
      ],
    }],
    versions: [{ groups: ["autoscaling"], versions: ["v1", "v2"], resources: ["horizontalpodautoscalers"] }],
    policies: [{ groups: ["admissionregistration.k8s.io"], resources: ["validatingadmissionpolicies"] }],
    definitions: [{ groups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"] }],
  }),
];

const PARTS: readonly Scenario[] = [
  {
    name: "policy-variables",
    run: async (kit) => {
      await check(kit, "variables", {
        ...widgets,
        variables: [
          { name: "works", expression: "true" },
          { name: "size", expression: "object.spec.size" },
          { name: "again", expression: "variables.size + 1" },
          { name: "bad", expression: "object.spec.nope" },
          { name: "spec", expression: "object.spec" },
          { name: "ports", expression: "object.spec.ports" },
          { name: "optional", expression: "object.spec.?name" },
          { name: "map", expression: "{'a': object.spec.name}" },
        ],
        validations: [
          { expression: "variables.works" },
          { expression: "variables.again == object.spec.name" },
          { expression: "variables.bad == 1 && variables.bad.x == 'y'" },
          { expression: "variables.spec.anything.goes == 1" },
          { expression: "variables.ports.all(p, p.nope > 1)" },
          { expression: "variables.optional.orValue(1) == object.spec.name" },
          { expression: "variables.map.a > 1" },
        ],
      });
    },
  },
  {
    name: "policy-messages",
    run: async (kit) => {
      await check(kit, "messages", {
        ...widgets,
        validations: [
          { expression: "object.spec.size == 1", messageExpression: "'a' + object.spec.size" },
          { expression: "object.spec.size == ''", messageExpression: "'fine'" },
          { expression: "object.spec.size == ''", messageExpression: "string(object.spec.nope)" },
          { expression: "object.spec.size == 1", message: "fine" },
        ],
      });
    },
  },
  {
    name: "policy-other-expressions",
    run: async (kit) => {
      await check(kit, "others", {
        ...widgets,
        matchConditions: [{ name: "a", expression: "object.spec.size == 'x'" }],
        auditAnnotations: [{ key: "a", valueExpression: "object.spec.size + 'x'" }],
        variables: [{ name: "a", expression: "object.spec.size + 'x'" }],
        validations: [{ expression: "true" }],
      });
    },
  },
  {
    name: "policy-params",
    run: async (kit) => {
      const validations = [
        { expression: "params.max < 'x'" },
        { expression: "params.nope == 1" },
        { expression: "params.names.exists(n, n == object.spec.size)" },
        { expression: "params.metadata.name == 1 || params == 1" },
      ];
      await check(kit, "known", { ...widgets, paramKind: LIMIT, validations });
      await check(kit, "unknown", { ...widgets, paramKind: { ...LIMIT, kind: "Nothing" }, validations });
      await check(kit, "built-in", {
        ...widgets,
        paramKind: { apiVersion: "v1", kind: "ConfigMap" },
        validations: [{ expression: "params.data.x == 1 || params.nope == 1" }],
      });
    },
  },
  {
    name: "policy-that-changes",
    run: async (kit) => {
      const name = `${kit.namespace}-changing`;
      const spec = (expression: string) => ({ failurePolicy: "Ignore", ...widgets, validations: [{ expression }] });
      await kit.create(VALIDATINGADMISSIONPOLICIES, {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "ValidatingAdmissionPolicy",
        metadata: { name },
        spec: spec("object.spec.size == ''"),
      });
      await writeDown(kit, "first", await untilChecked(kit, name));
      await kit.merge(VALIDATINGADMISSIONPOLICIES, name, { metadata: { labels: { a: "b" } } });
      await writeDown(kit, "labelled", await untilChecked(kit, name));
      await kit.merge(VALIDATINGADMISSIONPOLICIES, name, { spec: spec("object.spec.size == 1") });
      await writeDown(kit, "second", await untilChecked(kit, name));
      await kit.delete(VALIDATINGADMISSIONPOLICIES, name);
    },
  },
];

export const POLICY_SCENARIOS: readonly Scenario[] = [...EXPRESSIONS, ...KINDS, ...PARTS];
