// An id whose beginning is enough to tell it from its neighbours; a tooltip shows all of it.

const SHOWN = 14;

export function ShortId({ id }: Readonly<{ id: string }>) {
  return (
    <span title={id} className="whitespace-nowrap">
      {id.length > SHOWN ? `${id.slice(0, SHOWN)}…` : id}
    </span>
  );
}
