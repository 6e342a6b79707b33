// The entries of a section of the config document that have names, each with a form.

import { useState } from 'react';
import { ConfigDocument as documentSchema } from '../../../../../../gateway/src/contract/config.ts';
import type { ConfigDocument } from '../../../../api/operator/config.ts';
import { Button } from '../../../../ui/button.tsx';
import { Card } from '../../../../ui/card.tsx';
import { Cell, Table } from '../../../../ui/table.tsx';
import { Allowed } from '../../role.tsx';
import { EntryDialog } from './entry-dialog.tsx';
import { entrySchema, isValues, type Schema, type Values, withValue } from './schema.ts';

export type Section = 'providers' | 'routes' | 'markups' | 'guards' | 'models';

type SectionWords = Readonly<{ title: string; one: string; nameLabel: string; description: string }>;

const WORDS: Readonly<Record<Exclude<Section, 'models'>, SectionWords>> = {
  providers: {
    title: 'Providers',
    one: 'provider',
    nameLabel: 'Name of the provider',
    description:
      'The companies whose models are called. Connecting a vendor fills this in; here is every setting of it.',
  },
  routes: {
    title: 'Routes',
    one: 'route',
    nameLabel: 'For a model, vendor/* or *',
    description: 'Providers of models that have no routes of their own.',
  },
  markups: {
    title: 'Markups',
    one: 'markup',
    nameLabel: 'For a model, vendor/* or *',
    description: 'What customers pay beyond what models cost. If several match, the most specific one counts.',
  },
  guards: {
    title: 'Guards',
    one: 'guard',
    nameLabel: 'Name of the guard',
    description: 'Services that are asked about everybody’s calls, before the guards of an organization.',
  },
};

const COLUMNS = [{ label: 'Name' }, { label: 'Settings' }, { label: 'Actions', isHidden: true }];

type EntryTableProps = Readonly<{
  section: Exclude<Section, 'models'>;
  document: ConfigDocument;
  onEdit: (document: ConfigDocument) => void;
}>;

export function schemaOf(section: Section): Schema {
  return entrySchema((documentSchema as unknown as Schema).properties?.[section] ?? {});
}

/** The document with one entry of a section replaced; undefined removes it. */
export function withEntry(document: ConfigDocument, section: Section, name: string, entry: unknown): ConfigDocument {
  const entries = withValue((document[section] as Values | undefined) ?? {}, name, entry);
  return withValue(
    document as Values,
    section,
    Object.keys(entries).length === 0 ? undefined : entries,
  ) as ConfigDocument;
}

export function EntryTable({ section, document, onEdit }: EntryTableProps) {
  // Null while nothing is edited; an empty name means a new entry.
  const [edited, setEdited] = useState<string | null>(null);
  const { title, one, nameLabel, description } = WORDS[section];
  const entries = Object.entries((document[section] as Values | undefined) ?? {});
  const save = (name: string, entry: unknown): void => {
    setEdited(null);
    onEdit(withEntry(document, section, name, entry));
  };
  return (
    <Card
      title={title}
      description={description}
      isFlush
      actions={
        <Allowed least="owner">
          <Button onClick={() => setEdited('')}>Add a {one}</Button>
        </Allowed>
      }
    >
      <Table label={title} columns={COLUMNS}>
        {entries.map(([name, entry]) => (
          <tr key={name}>
            <Cell className="font-medium">{name}</Cell>
            <Cell className="text-xs break-all text-quiet">{summaryOf(entry)}</Cell>
            <Cell className="text-right">
              <Allowed least="owner">
                <Button isSmall aria-label={`Edit ${name}`} onClick={() => setEdited(name)}>
                  Edit
                </Button>
              </Allowed>
            </Cell>
          </tr>
        ))}
      </Table>
      {entries.length === 0 && <p className="px-5 py-8 text-center text-sm text-quiet">There are none.</p>}
      {edited !== null && (
        <EntryDialog
          key={edited}
          name={edited === '' ? null : edited}
          taken={entries.map(([name]) => name)}
          title={edited === '' ? `New ${one}` : edited}
          nameLabel={nameLabel}
          schema={schemaOf(section)}
          values={valuesOf(document, section, edited)}
          onSave={save}
          {...(edited === '' ? {} : { onRemove: () => save(edited, undefined) })}
          onClose={() => setEdited(null)}
        />
      )}
    </Card>
  );
}

export function valuesOf(document: ConfigDocument, section: Section, name: string): Values {
  const entry = (document[section] as Values | undefined)?.[name];
  return isValues(entry) ? entry : {};
}

const summaryOf = (entry: unknown): string =>
  isValues(entry)
    ? Object.entries(entry)
        .map(([key, value]) => `${key} ${isValues(value) ? Object.keys(value).join('+') : String(value)}`)
        .join(', ')
    : '';
