// The look of the entries of a navigation.

export const navLinkClass = 'flex items-center gap-2.5 rounded-lg px-2 py-1.5 text-sm hover:bg-sunken';
export const navActive = { className: 'bg-accent-soft text-accent font-medium' };
