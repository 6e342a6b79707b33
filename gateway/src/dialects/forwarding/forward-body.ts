// The body as a provider may get it under the platform's keys. One walk decides on every member by its name: where
// nothing changes the same object is returned and nothing is allocated. The caller's own data (arguments, schemas) is
// not searched, because its names mean nothing to a provider.

import type { Format } from '../../canonical/format.ts';
import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import { ApiError } from '../../errors/api-error.ts';
import {
  type Fate,
  fatesOfFields,
  type ItemFate,
  type ItemRule,
  insideFates,
  isDisguised,
  itemFates,
  type ListedRule,
  looksLikeReference,
  type MembersRule,
  namesFile,
  type PricedRule,
  toolFate,
} from './policy.ts';
import type { ForwardTerms } from './terms.ts';

type Fates = ReadonlyMap<string, Fate>;

export function forwardBody(body: JsonObject, format: Format, terms: ForwardTerms): JsonObject {
  return new BodyWalk(terms).body(body, format);
}

/** The same for objects beside the body, such as a plugin. */
export function forwardObject(object: JsonObject, terms: ForwardTerms): JsonObject {
  return new BodyWalk(terms).object(object, insideFates);
}

export class BodyWalk {
  readonly #terms: ForwardTerms;
  #gone: JsonObject[] | null = null;

  constructor(terms: ForwardTerms) {
    this.#terms = terms;
  }

  body(body: JsonObject, format: Format): JsonObject {
    this.#gone = null;
    const fates = fatesOfFields(format);
    let changed: JsonObject | null = null;
    for (const name in body) {
      const value = body[name];
      const next = this.#field(name, value, fates);
      if (next !== value) changed = replace(changed ?? { ...body }, name, next);
    }
    if (changed === null || this.#gone === null) return changed ?? body;
    return withoutGoneChoice(changed, body.tool_choice, this.#gone);
  }

  object(object: JsonObject, fates: Fates): JsonObject {
    let changed: JsonObject | null = null;
    for (const name in object) {
      const value = object[name];
      const next = this.#field(name, value, fates);
      if (next !== value) changed = replace(changed ?? { ...object }, name, next);
    }
    return changed ?? object;
  }

  #field(name: string, value: unknown, fates: Fates): unknown {
    if (value === undefined || value === null) return value;
    const fate = fates.get(name);
    if (fate !== undefined) return this.#decide(fate, name, value);
    if (looksLikeReference(name) || isDisguised(name)) return undefined;
    // Most members are words of a conversation.
    if (typeof value === 'string') return namesFile(value) ? refuseText(value) : value;
    return this.#inside(value);
  }

  #inside(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    return Array.isArray(value) ? this.#list(value) : this.object(value as JsonObject, insideFates);
  }

  #list(list: readonly unknown[], isTools = false): readonly unknown[] {
    let changed: unknown[] | null = null;
    for (let index = 0; index < list.length; index += 1) {
      const item = list[index];
      const next = isTools ? this.#tool(item) : this.#item(item);
      if (next !== item) changed ??= list.slice(0, index);
      if (changed !== null && next !== undefined) changed.push(next);
    }
    return changed ?? list;
  }

  #item(item: unknown): unknown {
    if (!isJsonObject(item)) return this.#inside(item);
    const { type } = item;
    if (typeof type === 'string') {
      const fate = itemFates.get(type);
      if (fate !== undefined && !isKept(fate, item)) return undefined;
      if (typeof item.id === 'string' && isOnlyReference(item)) return undefined;
      if (typeof fate === 'object') return this.object(this.#renamed(fate, item), insideFates);
    }
    return this.object(item, insideFates);
  }

  /** The beginning of an id tells its kind. */
  #renamed({ id: fate, unless }: ItemRule, item: JsonObject): JsonObject {
    const { id } = item;
    if (fate === undefined || typeof id !== 'string' || (unless !== undefined && isGiven(item[unless]))) return item;
    return { ...item, id: `${ID_KIND.exec(id)?.[0] ?? ''}${this.#terms.hash('id', id)}` };
  }

  #tool(tool: unknown): unknown {
    if (!isJsonObject(tool)) return tool;
    const fate = toolFate(tool.type);
    if (fate === 'refuse') throw refuse(`The tool ${String(tool.type)}`);
    const { searches, hostedTools } = this.#terms;
    // Checked in any case: what is refused in it is refused for every provider.
    const sent = this.object(tool, insideFates);
    if (fate === 'pass' || (fate === 'search' && searches) || (fate === 'hosted' && hostedTools)) return sent;
    this.#gone ??= [];
    this.#gone.push(tool);
    return undefined;
  }

  /** Undefined leaves the member out. */
  #decide(fate: Fate, name: string, value: unknown): unknown {
    switch (fate) {
      case 'pass':
        return this.#inside(value);
      case 'opaque':
        return value;
      case 'omit':
        return undefined;
      case 'refuse':
        if (Array.isArray(value) && value.length === 0) return value;
        throw refuse(name);
      case 'hash':
        return typeof value === 'string' ? this.#terms.hash(name, value) : undefined;
      case 'search':
        return this.#kept(value, this.#terms.searches || value === false);
      case 'hosted':
        return this.#kept(value, this.#terms.hostedTools);
      case 'tools':
        return Array.isArray(value) ? this.#list(value, true) : this.#inside(value);
      default:
        return this.#byRule(fate, name, value);
    }
  }

  #kept(value: unknown, isKept: boolean): unknown {
    const inside = this.#inside(value);
    return isKept ? inside : undefined;
  }

  #byRule(rule: PricedRule | ListedRule | MembersRule, name: string, value: unknown): unknown {
    if ('members' in rule) return this.#members(rule, name, value);
    const isOrdinary = rule.ordinary?.includes(value as string) === true;
    if ('price' in rule) return isOrdinary || this.#terms.hasHourPrice ? value : undefined;
    const extra = rule.isPresence === true ? rule.extra : extraOf(rule.extra, value);
    // An ordinary value is always passed on, and charged by its own price where the model has one.
    return this.#terms.offers(extra, rule.isMetered === true) || isOrdinary ? value : rule.instead;
  }

  #members(rule: MembersRule, name: string, value: unknown): unknown {
    if (!isJsonObject(value)) {
      if (rule.text !== undefined && typeof value === 'string') throw refuse(name);
      return this.#inside(value);
    }
    if (rule.isCacheMark === true) this.#terms.onCacheMark?.();
    return this.object(value, memberFates(rule));
  }
}

/** The name under which a price is looked up. Only words and numbers have one. */
function extraOf(name: string, value: unknown): string {
  const isWord = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isWord ? `${name}=${value}` : name;
}

const fatesByRule = new WeakMap<MembersRule, Fates>();

function memberFates(rule: MembersRule): Fates {
  const known = fatesByRule.get(rule);
  if (known !== undefined) return known;
  const own = Object.entries(rule.members) as [string, Fate][];
  const fates: Fates = rule.isOpaque === true ? new OpaqueFates(own) : new Map([...insideFates, ...own]);
  fatesByRule.set(rule, fates);
  return fates;
}

/** Every name that is missing from it is opaque. */
class OpaqueFates extends Map<string, Fate> {
  override get(name: string): Fate {
    return super.get(name) ?? 'opaque';
  }
}

function replace(object: JsonObject, name: string, value: unknown): JsonObject {
  if (value === undefined) delete object[name];
  else object[name] = value;
  return object;
}

function isKept(fate: ItemFate, item: JsonObject): boolean {
  if (fate === 'refuse') throw refuse(String(item.type));
  if (typeof fate === 'string') return fate === 'pass';
  return fate.needs === undefined || isGiven(item[fate.needs]);
}

const ID_KIND = /^[a-z]{1,8}_/;

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** An item that consists only of its name. */
function isOnlyReference(item: JsonObject): boolean {
  for (const name in item) {
    if (name !== 'id' && name !== 'type' && name !== 'status') return false;
  }
  return true;
}

function refuseText(text: string): never {
  throw refuse(`A text that begins with ${text.slice(0, text.indexOf(':'))}:`);
}

function refuse(what: string): ApiError {
  const reason = "it refers to something in the gateway's own account at the provider, which callers share";
  return new ApiError('unsupported_param', `${what} is not supported: ${reason}. Send the data itself.`);
}

// A choice of tool that names one which was left out cannot be kept, and a list of tools that is empty is refused by
// many.

/** Changes the body that it is given, which is a copy already. */
function withoutGoneChoice(body: JsonObject, choice: unknown, gone: readonly JsonObject[]): JsonObject {
  if (Array.isArray(body.tools) && body.tools.length === 0) delete body.tools;
  if (body.tools === undefined || names(choice, gone)) delete body.tool_choice;
  return body;
}

function names(choice: unknown, gone: readonly JsonObject[]): boolean {
  if (!isJsonObject(choice)) return false;
  if (choice.type === 'allowed_tools') return Array.isArray(choice.tools) && choice.tools.some((it) => names(it, gone));
  return gone.some(({ type, name }) => type === choice.type || (name !== undefined && name === choice.name));
}
