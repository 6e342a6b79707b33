// A model as `GET /v1/models` shows it. Token prices are in USD per million, the prices of tiers in USD per single
// token: the specification has both units in one object, and both are decimal text.

export type PublicPricing = {
  prompt: string;
  completion: string;
  cache_read?: string;
  cache_write?: string;
  /** USD per unit. */
  image?: string;
  video_second?: string;
  audio_second?: string;
  character?: string;
  request?: string;
};

export type PublicPricingTier = {
  /** The tier holds for prompts strictly longer than this. */
  above_prompt_tokens: number;
  prompt: string;
  completion: string;
  cache_read?: string;
  cache_write?: string;
};

export type PublicModel = {
  id: string;
  object: 'model';
  /** Unix seconds. */
  created: number;
  owned_by: string;
  canonical_slug: string;
  name: string;
  description: string | null;
  context_length: number | null;
  /** `text+image->text` */
  modality: string;
  architecture: { modality: string; input_modalities: readonly string[]; output_modalities: readonly string[] };
  pricing: PublicPricing;
  /** Absent unless the model has tiers. */
  pricing_tiers?: readonly PublicPricingTier[];
  top_provider: { context_length?: number; max_completion_tokens?: number; is_moderated: boolean };
  per_request_limits: null;
  supported_parameters: readonly string[];
  default_parameters: Record<string, never>;
  supported_voices: null;
  links: { details: string };
  /** True from thirty days before the last day. */
  end_of_life: boolean;
  /** The last day (UTC) on which the model answers. */
  expiration_date?: string;
  video?: {
    durations: readonly number[];
    resolutions: readonly string[];
    aspect_ratios: readonly string[];
    /** Absent where the input modalities say it. */
    tasks?: readonly string[];
    /** What a second costs, as a multiple of its price. */
    resolution_multipliers?: Readonly<Record<string, string>>;
    audio_multiplier?: string;
  };
};

export type PublicModelList = {
  object: 'list';
  data: readonly PublicModel[];
  total_count: number;
  has_more: false;
  links: { next: null };
};
