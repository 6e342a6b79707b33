// How a price made the cost of a call: units times rate, line by line, and which prices they are. The same for the
// caller and for the operator.

import { formatCount } from '../../ui/format.ts';
import { Cell, Table } from '../../ui/table.tsx';
import { exactUsd, extraText, type PriceTerms, rateText } from './price-terms.ts';

type CostLine = Readonly<{
  what: string;
  units: number;
  perMillionUsd: string | null;
  unitUsd: string | null;
  usd: string;
}>;

const COLUMNS = [
  { label: 'What' },
  { label: 'Units', isNumber: true },
  { label: 'Rate', isNumber: true },
  { label: 'Amount', isNumber: true },
];

type CostTableProps = Readonly<{ lines: readonly CostLine[]; terms: PriceTerms; totalUsd: string }>;

export function CostTable({ lines, terms, totalUsd }: CostTableProps) {
  return (
    <>
      <Table label="Lines of the cost" columns={COLUMNS}>
        {lines.map((line) => (
          <tr key={line.what}>
            <Cell>{line.what}</Cell>
            <Cell isNumber>{line.unitUsd === null ? '–' : formatCount(line.units)}</Cell>
            <Cell isNumber>{rateText(line)}</Cell>
            <Cell isNumber>{exactUsd(line.usd)}</Cell>
          </tr>
        ))}
        <tr className="font-medium">
          <Cell>Together, rounded once</Cell>
          <Cell isNumber>–</Cell>
          <Cell isNumber>–</Cell>
          <Cell isNumber>{totalUsd}</Cell>
        </tr>
      </Table>
      <ul className="grid gap-1 px-5 py-4 text-sm text-quiet">
        <li>
          {terms.tierAbovePromptTokens === null
            ? 'The ordinary prices of the model.'
            : `The prices of prompts above ${formatCount(terms.tierAbovePromptTokens)} tokens, for the whole call.`}
        </li>
        {terms.completionMultiplier > 1 && (
          <li>{`The rate of completion tokens is ${terms.completionMultiplier} times the listed one, because the model was asked to think.`}</li>
        )}
        {terms.extras.map((name) => (
          <li key={name}>{extraText(name)}</li>
        ))}
      </ul>
    </>
  );
}
